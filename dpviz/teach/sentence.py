"""A sentence of a lesson in which some numbers are menus, and others follow from them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from inspect import signature
from string import Formatter

from dpviz import checks
from dpviz.number_format import exact
from dpviz.teach.ask import LESSON_CSS
from dpviz.widgets.base.html import Dropdown, Html, Stack, css_widget, row
from dpviz.widgets.base.view import View

Choices = Sequence[float] | Callable[..., float]  # of a number, or what it follows from


def sentence(template: str, view: View | None = None, **numbers: Choices) -> "NumbersInSentence":
    """Return a sentence whose numbers the reader chooses, with others that follow from them.

    Parameters
    ----------
    template : str
        Text with a field for each number, as of `str.format`: ``"{n} trials, {low:.2f}"``.
    view : View, optional
        A picture to stand below, which has a field of the name of each number that is chosen.
    **numbers : sequence of float, or function
        The values of a number that is chosen, the first one first; or a function that returns a
        number that follows, from parameters that have the names of chosen numbers.

    Returns
    -------
    NumbersInSentence
        Its `text` is the sentence as shown; its `menus` are the chosen numbers, by name.

    Raises
    ------
    ValueError
        If the fields of the template are not the names of the numbers.

    Examples
    --------
    >>> from dpviz import teach
    >>> said = teach.sentence("Half of {n} is {half:g}.", n=[10, 100], half=lambda n: n / 2)
    >>> said.menus["n"].value = 100
    >>> said.text
    'Half of 100 is 50.'
    """
    fields = {field for _, field, _, _ in Formatter().parse(template) if field is not None}
    if fields != numbers.keys():
        raise checks.fail("template", f"a text with the fields {sorted(numbers)}", template)
    return NumbersInSentence(template, view, numbers)


class NumbersInSentence(Stack):
    """A sentence in which numbers are menus, above a view that follows them."""

    def __init__(self, template: str, view: View | None, numbers: Mapping[str, Choices]) -> None:
        self.view, self._parts = view, [*Formatter().parse(template)]
        self._functions = {name: each for name, each in numbers.items() if callable(each)}
        self.menus = {
            name: Dropdown(options=[(exact(x), x) for x in each], tooltip=name)
            for name, each in numbers.items()
            if not callable(each)
        }
        self._outputs = {name: Html() for name in self._functions}
        for menu in self.menus.values():
            menu.observe(self._update, names="value")
        line = row(self._pieces(), css_class="dpviz-inline")
        parts = [css_widget(LESSON_CSS), line, *([] if view is None else [view])]
        super().__init__(parts, _dom_classes=["dpviz", "dpviz-lesson"])
        self._update()

    @property
    def text(self) -> str:
        """The sentence as it is shown."""
        shown = {name: menu.label for name, menu in self.menus.items()} | self._following()
        return "".join(text + shown.get(field or "", "") for text, field, _, _ in self._parts)

    def _pieces(self) -> Iterator[Html | Dropdown]:
        for text, field, _, _ in self._parts:
            yield Html(escape(text))
            if field is not None:
                yield self.menus.get(field) or self._outputs[field]

    def _following(self) -> dict[str, str]:
        """Return the numbers that follow, written as the template says."""
        chosen = {name: menu.value for name, menu in self.menus.items()}
        return {
            name: format(function(*map(chosen.get, signature(function).parameters)), spec or "")
            for _, name, spec, _ in self._parts
            if name and (function := self._functions.get(name))
        }

    def _update(self, _change: object = None) -> None:
        if self.view is not None:
            self.view.change(**{name: menu.value for name, menu in self.menus.items()})
        for name, text in self._following().items():
            self._outputs[name].value = f"<output>{escape(text)}</output>"
