"""Style of a page, or of a widget that is one, in light and dark; on paper it is light.

Where a browser does not know `light-dark()`, it is light, too: lines with it count for nothing.
"""

from dpviz.pictures.svg.page import SIZE
from dpviz.pictures.svg.text import FONTS
from dpviz.pictures.theme import INK, PAPER, by_scheme, css_by_scheme

STYLE = (
    """
:root, :host { color-scheme: light;
  --ink: light-dark(#212121, #e8e8e8); --soft: light-dark(#5a5a5a, #b3b3b3);
  --page: light-dark(#f6f6f4, #1b1c1e); --edge: light-dark(#c9c9c9, #4a4a4a);
  --error: light-dark(#a40e26, #ff9d9d); --link: light-dark(#0072b2, #6cb8ea); }
@supports (color: light-dark(red, red)) {
  @media not print { :root, :host { color-scheme: light dark; } } }
body, :host { display: block; margin: 0 auto; max-width: 1500px; padding: 12px 20px;
  background: var(--page); color: var(--ink); overflow-wrap: break-word;
  font: 15px/1.45 Helvetica, Arial, "Liberation Sans", sans-serif; }
h1 { font-size: 1.4em; margin: .3em 0; }
h2 { font-size: 1.05em; margin: 0 0 .3em; }
header { display: grid; gap: 4px 28px; align-items: center;
  grid-template-columns: repeat(auto-fit, minmax(min(460px, 100%), 1fr)); }
header p { margin: .4em 0; }
/* Its place is kept: what follows does not move when it is written. */
header .late { min-height: 1.45em; }
header .late:empty { display: block; }
/* The picture says it to those who see it. */
header figcaption p:not(.late) { position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); }
footer, small { color: var(--soft); }
.controls { display: grid; gap: 8px 22px; margin-top: 14px;
  grid-template-columns: repeat(auto-fit, minmax(min(300px, 100%), 1fr)); }
.control { display: grid; grid-template-columns: 1fr auto; gap: 0 8px; align-items: center;
  align-content: end; }
.control label { display: contents; }
.control span { grid-column: 1 / -1; }
input[type=range] { display: block; width: 100%; height: 26px; margin: 0;
  accent-color: var(--link); }
input[type=text] { width: 6.5em; }
input[type=text], button { font: inherit; padding: 2px 6px; color: inherit;
  background: transparent; border: 1px solid var(--edge); border-radius: 4px; }
button:disabled, input:disabled { opacity: .55; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.error { color: var(--error); font-weight: 600; min-height: 1.45em; margin: 4px 0; }
.grid { display: grid; gap: 22px;
  grid-template-columns: repeat(auto-fit, minmax(min(430px, 100%), 1fr)); }
figure { margin: 0; min-width: 0; max-width: 760px; }
figcaption p { margin: .45em 0; overflow-wrap: anywhere; }
.card { border: 1px solid var(--edge); border-radius: 6px; padding: 6px; }
.card svg[role=img] { display: block; width: 100%; height: auto; user-select: none; }
.handle { cursor: grab; touch-action: none; }
table { border-collapse: collapse; margin: 0 0 1em; }
caption { text-align: left; margin-bottom: .3em; }
th, td { text-align: left; vertical-align: top; padding: 3px 14px 3px 0;
  border-bottom: 1px solid var(--edge); overflow-wrap: anywhere; }
th, td:nth-child(2) { overflow-wrap: normal; }
/* On a phone pictures are as wide as can be, for the sake of their letters. */
@media (width <= 500px) { body, :host { padding: 12px 8px; } .card { padding: 1px; } }
.late { font-weight: 600; font-style: italic; }
.late:empty { display: none; }
"""
    f"""
.card {{ background: {PAPER}; fill: {INK}; font: {SIZE}px {FONTS}; }}
.card {{ background: {by_scheme(PAPER)}; fill: {by_scheme(INK)}; }}
{css_by_scheme(".card")}
"""
)
