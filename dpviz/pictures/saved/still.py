"""What a notebook's file keeps of a widget: shown wherever the widget does not live."""

from base64 import b64encode
from collections.abc import Sequence
from datetime import datetime

from dpviz.pictures.svg.text import escaped

# Where scripts and style sheets of outputs are switched off (an untrusted notebook), the picture
# and the texts remain. Elsewhere they wait, so that they are not seen while a widget is loading,
# and JupyterLab's text in place of a widget (it is loading, its model is gone) gives way to them.
STYLE = """
.dpviz-still { animation: dpviz-still 2s; }
@keyframes dpviz-still { from, 99% { visibility: hidden; max-height: 0; overflow: hidden; } }
@media print { .dpviz-still { animation: none; } }
.jp-OutputArea-child:not(:has(> .jp-OutputArea-output > *)):has(+ * .dpviz-still) {
  display: none; }
"""
HOW = (
    "The widget as it was on {moment:%Y-%m-%d, %H:%M}. In a notebook: run the cell to make it live."
)


def still_class(key: str) -> str:
    """The CSS class of the still picture of the widget `key`; the living widget hides it."""
    return f"dpviz-still-{key}"


def still_html(
    key: str, *, headline: Sequence[str], svg: str, described: str, moment: datetime
) -> str:
    """HTML of a picture of a widget: the headline, `svg` as an image, and how to make it live.

    Without `svg`, an empty text, there is no image.
    """
    first, *others = headline or [""]
    texts = [f"<strong>{escaped(first)}</strong>", *map(escaped, others)] if first else []
    texts.append(f"<em>{HOW.format(moment=moment)}</em>")
    if svg:
        data = b64encode(svg.encode()).decode()
        texts.append(f'<img src="data:image/svg+xml;base64,{data}" alt="{escaped(described)}">')
    written = "".join(f"<p>{text}</p>" for text in texts)
    return f'<div class="dpviz-still {still_class(key)}"><style>{STYLE}</style>{written}</div>'
