"""What views say, whether a reader has to unfold it or not."""

from dpviz.widgets.views.figure_view import FigureView


def words(view: FigureView) -> str:
    """The sentence in sight and the folded ones, as HTML."""
    return "".join(text.value for text in (view.text, *view.texts.values()))
