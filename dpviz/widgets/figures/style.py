"""Style rules of the views; text and axes follow the notebook's theme."""

from dpviz.drawing.scene import PROPORTION, STRIP_HEIGHT, WIDEST_SQUARE
from dpviz.drawing.theme import PAPER, by_scheme, css_by_scheme, css_on_dark

WIDEST = 800  # pixels of a wide picture that has a row of its own

CSS = (
    f"""
[data-jp-theme-light="false"] .dpviz, .vscode-dark .dpviz,
.dpviz.dpviz-on-dark {{ {css_on_dark()} }}
/* Square and wide pictures keep their proportion at any width. */
.dpviz .dpviz-figure.dpviz-square {{ height: auto; aspect-ratio: 1; box-sizing: content-box;
  max-width: var(--dpviz-widest-square, {WIDEST_SQUARE}px); }}
.dpviz .dpviz-figure.dpviz-wide {{ height: auto; aspect-ratio: {PROPORTION:.4f};
  max-width: var(--dpviz-widest, {WIDEST}px); }}
.dpviz .dpviz-figure.dpviz-strip {{ height: {STRIP_HEIGHT}px; }}
.dpviz .dpviz-figure.widget-html {{ color-scheme: light; background: {PAPER};
  background: {by_scheme(PAPER)}; min-width: 0; width: 100%; }}
@media not print {{ [data-jp-theme-light="false"] .dpviz .dpviz-figure.widget-html,
  .vscode-dark .dpviz .dpviz-figure.widget-html,
  .dpviz.dpviz-on-dark .dpviz-figure.widget-html {{ color-scheme: dark; }} }}
{css_by_scheme(".dpviz-figure.widget-html")}
.dpviz .dpviz-figure.widget-html > *, .dpviz .dpviz-figure > * > svg {{
  display: block; width: 100%; height: 100%; }}
"""
    """
/* What bqplot's colours refer to, for pages without a theme: of no weight beside any other rule. */
:where(:root) {
  --jp-layout-color0: #fff; --jp-layout-color1: #fff; --jp-layout-color2: #eee;
  --jp-content-font-color1: #212121; --jp-content-font-color2: #555;
  --jp-border-color0: #bdbdbd; --jp-border-color1: #bdbdbd; --jp-border-color2: #ccc;
  --jp-border-width: 1px; }
.dpviz-rules { display: none; }
.dpviz .dpviz-hidden.dpviz-hidden, .dpviz .dpviz-error-line:not(:has(.dpviz-error)) {
  display: none; }
.dpviz .dpviz-row { flex-flow: row wrap; align-items: center; }
.dpviz .dpviz-audit-job { min-height: 32px; align-items: center; }
.dpviz .dpviz-stack { min-width: 0; overflow: clip; }
.dpviz .dpviz-columns { width: 100%; min-width: 0; gap: 8px 18px;
  grid-template-columns: repeat(auto-fit, minmax(min(280px, 100%), 1fr)); }
.dpviz .dpviz-columns.dpviz-said {
  grid-template-columns: repeat(auto-fit, minmax(min(440px, 100%), 1fr)); }
.dpviz .dpviz-columns.dpviz-pictures { grid-template-columns:
  repeat(auto-fit, minmax(min(max(280px, (720px - 100%) * 999), 100%), 1fr)); }
.dpviz .dpviz-button { width: auto; }
.dpviz .dpviz-progress { width: 9em; height: 1.4em; }
.dpviz .dpviz-title { font-weight: 600; font-size: 15px; line-height: 1.35; }
.dpviz .dpviz-head { align-items: center; justify-content: space-between; flex-wrap: nowrap;
  overflow: visible; }
.dpviz .dpviz-head > .widget-html { flex: 1 1 auto; }
.dpviz .dpviz-head > .widget-hbox { flex: 0 0 auto; min-width: 40px; min-height: 32px; }
/* The strip: in sight while the page scrolls. JupyterLab scrolls outputs in boxes of their own. */
.jp-OutputArea-output:has(> .jupyter-widgets.dpviz-Explorer),
.jp-OutputArea-output:has(> * > .jupyter-widgets.dpviz-Explorer),
.jp-Cell-outputArea:has(.jupyter-widgets.dpviz-Explorer),
.jp-OutputArea-child:has(.jupyter-widgets.dpviz-Explorer) { overflow: visible; min-width: 0; }
.dpviz .dpviz-controls { position: sticky; top: 0; z-index: 20; padding: 4px 10px;
  background: var(--jp-layout-color2); border-bottom: 1px solid var(--jp-border-color2);
  overflow: visible; }
.dpviz .dpviz-controls-row, .dpviz .dpviz-more-row { gap: 4px 8px; overflow: visible; }
.dpviz .dpviz-controls-end { margin-left: auto; gap: 4px; }
.dpviz .widget-dropdown, .dpviz .widget-text { width: auto; max-width: calc(100% - 4px); }
.dpviz .widget-dropdown > .widget-label, .dpviz .widget-text > .widget-label { width: initial; }
.dpviz .dpviz-questions .widget-dropdown { max-width: 44em; }
.dpviz .dpviz-questions .widget-dropdown > .widget-label { width: 21em; }
.dpviz .dpviz-controls .widget-dropdown > select { width: 12em; text-overflow: ellipsis; }
.dpviz .dpviz-controls .widget-dropdown { flex: 0 1 auto; }
.dpviz .dpviz-controls-row > .widget-dropdown > select { width: 10.5em; }
.dpviz .dpviz-number { position: relative; overflow: visible; flex: 0 0 auto; }
.dpviz .dpviz-number:has(.widget-slider) { flex: 0 1 16em; }
.dpviz .dpviz-number > .widget-slider { flex: 1 1 120px; width: auto; min-width: 110px; }
.dpviz .dpviz-number > .widget-slider > .widget-label { width: initial; }
.dpviz .dpviz-number > .widget-text { flex: 0 0 auto; width: 7em; }
.dpviz .dpviz-number > .widget-slider + .widget-text { width: 5.6em; }
.dpviz .dpviz-number input { text-overflow: ellipsis; }
.dpviz .dpviz-error-below { position: absolute; top: 100%; left: 0; z-index: 30; margin: 0;
  height: auto; width: max-content; max-width: min(34em, 80vw); overflow: visible;
  background: var(--jp-layout-color0, #fff); box-shadow: 0 1px 6px rgb(0 0 0 / 35%); }
.dpviz .dpviz-error-below .dpviz-error { padding: 2px .6em; }
.dpviz details > summary { cursor: pointer; line-height: 1.5; width: fit-content;
  color: var(--jp-content-font-color2, #555); }
.dpviz summary:focus-visible, .dpviz .dpviz-tabs button:focus-visible {
  outline: 2px solid #0072B2; outline-offset: 1px; }
.dpviz .dpviz-more summary, .dpviz .dpviz-save summary { list-style: none; padding: 2px .7em;
  color: inherit; border: 1px solid var(--jp-border-color1); border-radius: 3px;
  background: var(--jp-layout-color1); }
.dpviz .dpviz-more summary::after, .dpviz .dpviz-save summary::after { content: " ▾" / ""; }
.dpviz .dpviz-save-menu { position: absolute; top: 100%; right: 0; z-index: 30; padding: 8px;
  max-width: min(44em, 100%); max-height: 70vh; overflow: auto;
  background: var(--jp-layout-color1); border: 1px solid var(--jp-border-color1);
  box-shadow: 0 2px 8px rgb(0 0 0 / 30%); }
/* Folded away, where the browser can tell that it is folded. */
@supports selector(:has(a)) {
  .dpviz .dpviz-controls:not(:has(.dpviz-save details[open])) > .dpviz-save-menu,
  .dpviz .dpviz-controls:not(:has(.dpviz-more details[open], .dpviz-more-row .dpviz-error))
    > .dpviz-more-row,
  .dpviz :not(.dpviz-unfolded *).dpviz-fold:not(:has(> .dpviz-summary details[open]))
    > .dpviz-folded { display: none; } }
.dpviz-unfolded .dpviz-fold > .dpviz-summary { display: none; }
.dpviz .dpviz-controls-end > .dpviz-present { border: 1px solid var(--jp-border-color1);
  border-radius: 3px; background: var(--jp-layout-color1); }
.dpviz .dpviz-undo, .dpviz .dpviz-redo { font-size: 0; padding: 0 .5rem; }
.dpviz .dpviz-undo::before { content: "↶" / ""; font-size: 16px; }
.dpviz .dpviz-redo::before { content: "↷" / ""; font-size: 16px; }
.dpviz .dpviz-tabs { display: flex; flex-wrap: wrap; margin: 4px 0 6px;
  border-bottom: 1px solid var(--jp-border-color1); }
.dpviz .dpviz-tabs button { flex: 0 0 auto; padding: 6px 14px; font: inherit; font-size: 14px;
  color: var(--jp-content-font-color2, #555); background: none; border: 1px solid transparent;
  border-radius: 4px 4px 0 0; cursor: pointer; margin-bottom: -1px; }
/* As wide as when it is selected: the others stay where they are. */
.dpviz .dpviz-tabs button::after { display: block; height: 0; overflow: hidden; font-weight: 600;
  visibility: hidden; content: attr(data-title) / ""; }
.dpviz .dpviz-tabs button[aria-selected="true"] { font-weight: 600;
  color: var(--jp-content-font-color1); background: var(--jp-layout-color1);
  border-color: var(--jp-border-color1); border-bottom-color: var(--jp-layout-color1); }
@media (width <= 760px) { .dpviz .dpviz-tabs button { padding: 6px 3px; font-size: 12px; } }
/* A tab fits on one screen: in JupyterLab, where three columns are narrow, it is low too. */
/* Views stand in the order of their tab, for keys and screen readers too where browsers can. */
.dpviz .dpviz-grid { width: 100%; gap: 8px 18px; min-width: 0; reading-flow: grid-order;
  grid-template-columns: repeat(auto-fill, minmax(min(var(--dpviz-column), 100%), 1fr)); }
/* A view that has no place yet is not seen, but figures in it know their size. */
.dpviz .dpviz-panel > .dpviz-grid > * { position: absolute; visibility: hidden; width: 100%; }
/* A new view and the still one that stands for it have the same place. */
.dpviz .dpviz-panel { container-type: inline-size; position: relative; overflow: visible;
  display: grid; grid-template-columns: minmax(0, 1fr); }
.dpviz .dpviz-panel > .dpviz-still-views, .dpviz .dpviz-panel > .dpviz-grid { grid-area: 1 / 1; }
.dpviz .dpviz-panel > .dpviz-add { justify-self: start; }
.dpviz .dpviz-still-views:not(:has(.dpviz-grid)) { display: none; }
.dpviz .dpviz-still-views { margin: 0; height: auto; }
.dpviz .dpviz-still-views > .widget-html-content { flex: 1 1 auto; line-height: inherit; }
@container (700px < width < 1300px) { .dpviz .dpviz-place { --dpviz-widest-square: 330px; } }
/* What the tab before offers is not offered while the next one is on its way. */
.dpviz .dpviz-panel[aria-busy="true"] > .dpviz-add { visibility: hidden; }
/* Where there is room, further pictures are offered in the row of the tabs. */
@container (width >= 990px) {
  .dpviz .dpviz-panel > .dpviz-add { position: absolute; top: -42px; right: 0; } }
/* Below the buttons of the game there is room for pictures of this size. */
.dpviz .dpviz-ExperimentView .dpviz-place, .dpviz-ExperimentView.dpviz .dpviz-place {
  --dpviz-widest-square: 360px; --dpviz-widest: 480px; }
/* Names of axes may begin left of a small picture. */
.dpviz .dpviz-place, .dpviz .dpviz-place * { overflow-clip-margin: 16px; }
/* Side by side: four on one screen. From 990 to 1300 px they are in one row, all of them square: in
   two rows labels have no room. From 1300 px on there are two, whose height goes with the width:
   square pictures are as high as the row, with their words beside them; others take what the words
   leave of the width. */
.dpviz .dpviz-beside { grid-template-columns: repeat(auto-fit, minmax(min(480px, 100%), 1fr)); }
@container (990px <= width < 1300px) {
  .dpviz .dpviz-beside { grid-template-columns: repeat(4, minmax(0, 1fr)); }
  .dpviz .dpviz-beside .dpviz-wide { aspect-ratio: 1; } }
@container (width >= 1300px) {
  .dpviz .dpviz-beside > .dpviz { --dpviz-row: clamp(200px, 36.9cqi - 204px, 400px);
    --dpviz-width: 30cqi; --dpviz-widest-square: none; display: grid; gap: 0 12px;
    grid-template: auto 1fr / var(--dpviz-width) 1fr; min-height: var(--dpviz-row); }
  .dpviz .dpviz-beside > .dpviz:has(.dpviz-square) { --dpviz-width: var(--dpviz-row); }
  .dpviz .dpviz-beside > .dpviz > * { grid-column: 2; }
  .dpviz .dpviz-beside > .dpviz > .dpviz-place { grid-area: 1 / 1 / 3 / 2; }
  .dpviz .dpviz-beside .dpviz-wide { height: var(--dpviz-row); aspect-ratio: auto; } }
/* A view alone in a cell: its strip above, its words beside the picture. */
.dpviz .dpviz-own-controls { gap: 4px 14px; padding: 4px 10px; overflow: visible;
  background: var(--jp-layout-color2); border: 1px solid var(--jp-border-color2);
  border-radius: 4px; }
.dpviz .dpviz-try { line-height: 1.45; margin-top: .6em; }
@media (min-width: 800px) {
  .dpviz-alone.dpviz { display: grid; gap: 0 16px;
    grid-template: auto auto 1fr / minmax(0, 480px) minmax(14em, 34em); }
  .dpviz-alone.dpviz > * { grid-column: 2; }
  .dpviz-alone.dpviz > .dpviz-own-controls { grid-area: 1 / 1 / 2 / 3; }
  .dpviz-alone.dpviz > .dpviz-place { grid-area: 2 / 1 / 4 / 2; align-self: start; } }
/* In a low window, such as one of 1400 x 900 pixels at twice the size, the ruler stands beside the
   answer, and pictures are as high as the window: the first one begins on the first screen. */
@media (height <= 560px) {
  .dpviz .dpviz-place { --dpviz-widest-square: 330px; --dpviz-widest: 480px; }
  .dpviz .dpviz-columns.dpviz-said {
    grid-template-columns: repeat(auto-fit, minmax(min(310px, 100%), 1fr)); } }
/* Room for all that the answer may say there: nothing moves when the numbers come. */
.dpviz-AnswerView { container-type: inline-size; }
.dpviz .dpviz-answer { min-height: 10.2em; }
@container (640px <= width < 900px) { .dpviz .dpviz-answer { min-height: 8.2em; } }
@container (width < 500px) { .dpviz .dpviz-answer { min-height: 11.6em; }
  .dpviz .dpviz-answer-below.dpviz-answer-below { flex-wrap: wrap; min-height: 64px; } }
@container (width < 400px) { .dpviz .dpviz-answer { min-height: 15em; } }
.dpviz .dpviz-answer-below { flex-wrap: nowrap; align-items: flex-start; min-height: 32px; }
.dpviz .dpviz-answer-below > .widget-html { flex: 0 0 175px; }
.dpviz .dpviz-answer-below > .widget-html:has(details[open]) { flex-grow: 1; }
.dpviz .dpviz-answer-below .widget-hbox { flex: 0 1 auto; min-width: 0; }
/* Where there is little room, the bar gives way to the words beside it. */
.dpviz .dpviz-answer-below .widget-hprogress { flex: 0 100 auto; min-width: 2em; }
.dpviz .dpviz-answer-below .widget-hbox > .widget-html { flex: 0 0 auto;
  max-width: calc(100% - 96px); }
.dpviz .dpviz-answer .dpviz-unbroken { white-space: nowrap; }
.dpviz .dpviz-unseen { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden;
  clip-path: inset(50%); }
.dpviz .dpviz-answer h2 { font-size: 1.5em; font-weight: 700; line-height: 1.3; margin: 0;
  text-wrap: balance; }
.dpviz .dpviz-answer h2 em { font-style: normal; color: var(--dpviz-c44f00, #C44F00); }
.dpviz .dpviz-answer p { margin: .2em 0 0; line-height: 1.45; }
.dpviz .dpviz-key { display: flex; flex-wrap: wrap; gap: 0 1em; line-height: 1.5; }
.dpviz .dpviz-unlabelled { display: none; }
.dpviz:has(.dpviz-slow) .dpviz-unlabelled { display: block; animation: dpviz-slow 3s; }
.dpviz .dpviz-key svg { vertical-align: middle; margin-right: .4em; }
/* A note that comes and goes stands over what is below it: nothing moves under the pointer. */
.dpviz .dpviz-late { margin: 0; height: auto; overflow: visible; }
.dpviz .dpviz-head .widget-hbox, .dpviz .dpviz-controls-end { overflow: visible; }
.dpviz .dpviz-late .dpviz-sentence { position: absolute; top: 100%; right: 0; z-index: 2;
  pointer-events: none; background: var(--jp-layout-color0, #fff);
  padding: 0 .5em; font-weight: 600; white-space: nowrap;
  border-right: 4px solid #E69F00; animation: dpviz-late .4s; }
/* Only what lasts is worth a word: it appears after four tenths of a second. */
@keyframes dpviz-late { from, 99% { opacity: 0; } to { opacity: 1; } }
/* Said once, and after three seconds: until then the browser's half may still be loading. */
.dpviz .dpviz-slow { line-height: 1.45; animation: dpviz-slow 3s; }
.dpviz .dpviz .dpviz-slow { display: none; }
@keyframes dpviz-slow { from, 99% { visibility: hidden; height: 0; margin: 0; } }
.dpviz .dpviz-sentence { line-height: 1.45; }
.dpviz .dpviz-warnings, .dpviz .dpviz-cautions {
  border-left: 4px solid #E69F00; padding-left: .6em; }
.dpviz .dpviz-table { overflow-x: auto; font-size: 12px; }
.dpviz .dpviz-table table { border-collapse: collapse; width: 100%; margin: 0; }
.dpviz .dpviz-table caption { text-align: left; padding: 4px 0; }
.dpviz .dpviz-table th, .dpviz .dpviz-table td { text-align: left; vertical-align: top;
  padding: 2px 6px 2px 0; line-height: 1.35; white-space: normal;
  border-bottom: 1px solid var(--jp-border-color2, #ccc); }
/* A name from data may be one endless word. */
.dpviz .dpviz-table td:first-child { max-width: 24em; }
/* A question above its menu. */
.dpviz .dpviz-fact { gap: 2px; align-content: start; }
.dpviz .dpviz-fact .widget-dropdown, .dpviz .dpviz-fact .widget-text { width: calc(100% - 4px); }
.dpviz .dpviz-fact .widget-dropdown { flex-direction: column; align-items: stretch; height: auto; }
.dpviz .dpviz-fact .widget-dropdown > .widget-label { width: 100%; height: auto; text-align: left;
  white-space: normal; line-height: 1.35; }
.dpviz .dpviz-fact .widget-dropdown > select { flex: 0 0 auto;
  height: var(--jp-widgets-inline-height, 28px); }
.dpviz .dpviz-short.dpviz-short { width: 11em; }
.dpviz .dpviz-shorter.dpviz-shorter { width: 7em; }
.dpviz .dpviz-error { line-height: 1.45; border-left: 4px solid #D55E00; padding-left: .6em;
  font-weight: 600; }
.dpviz .widget-html-content { min-width: 0; white-space: normal; line-height: 1.45;
  overflow-wrap: break-word; }
.dpviz .widget-html, .dpviz .jupyter-widgets { max-width: 100%; }
/* A hover over a line would send its whole data to the kernel (bqplot: Mark.custom_msg_sender). */
.dpviz .bqplot .curve, .dpviz .bqplot .curve * { pointer-events: none; }
/* bqplot makes its labels orange in the dark theme. */
.dpviz .bqplot > svg .axis text.axislabel, .dpviz .bqplot > svg .axis tspan.axislabel,
.dpviz .bqplot > svg .axis .tick text, .dpviz .bqplot > svg text.mainheading {
  fill: var(--jp-content-font-color1, #212121); }
.dpviz .bqplot > svg .axis text.axislabel {
  font: calc(12px * var(--dpviz-font-scale, 1)) sans-serif; }
.dpviz .bqplot > svg .axis .tick text {
  font: calc(11px * var(--dpviz-font-scale, 1)) sans-serif; }
.dpviz .bqplot > svg .axis path { stroke: var(--jp-content-font-color2, #555); }
.dpviz .bqplot .object_grp { cursor: grab; }
/* The browser's half writes there what the axes show under the mouse. */
.dpviz .bqplot[data-at]:hover::after { content: attr(data-at); position: absolute;
  top: 0; right: 18px; padding: 0 .4em; pointer-events: none;
  font: calc(11px * var(--dpviz-font-scale, 1))/1.5 sans-serif;
  color: var(--jp-content-font-color1); background: var(--jp-layout-color1); }
/* Where ticks are names, places between them mean nothing. */
.dpviz .bqplot[class*="dpviz-named"]::after { display: none; }
.dpviz .bqplot:focus-visible, .dpviz .dpviz-table:focus-visible, .dpviz .noUi-handle:focus-visible {
  outline: 2px solid #0072B2; outline-offset: -2px; }
/* Labels stand on lines and areas: a halo keeps them readable. */
.dpviz .bqplot { position: relative; }
.dpviz .bqplot > svg.dpviz-labels { position: absolute; width: 1px; height: 1px; overflow: visible;
  z-index: 1; pointer-events: none; font-family: sans-serif;
  color: var(--jp-content-font-color1, #212121); }
.dpviz .dpviz-labels text { paint-order: stroke; stroke: var(--jp-layout-color0, #fff);
  stroke-width: 3px; stroke-linejoin: round; }
"""
)
