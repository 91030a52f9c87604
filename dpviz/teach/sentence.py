"""A sentence of a lesson with menus of numbers, and numbers that are computed from these."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from string import Formatter

from dpviz import checks
from dpviz.number_format import exact
from dpviz.teach.ask import LESSON_CSS
from dpviz.widgets.base.html import Dropdown, Html, Stack, css_widget, row
from dpviz.widgets.base.view import View

Choices = Sequence[float] | Callable[..., float]  # of a number, or what it follows from


def sentence(template: str, view: View | None = None, **numbers: Choices) -> "NumbersInSentence":
    """Return a sentence with numbers that a reader chooses, and numbers computed from these.

    Its `text` is the sentence as shown; its `menus` are the chosen numbers, by name.

    Parameters
    ----------
    template : str
        Text with a field for each number, as of `str.format`: ``"{n} trials, {low:.2f}"``.
    view : View, optional
        A picture to stand below, which has a field of the name of each number that is chosen.
    **numbers : sequence of float, or function
        The values of a number that is chosen, the first one first; or a function that returns a
        number that follows from the chosen ones, which are its parameters by name.

    Raises
    ------
    ValueError, if the fields of the template are not the names of the numbers

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
        raise checks.fail("template", f"a text with exactly the fields {sorted(numbers)}", template)
    return NumbersInSentence(template, view, numbers)


class NumbersInSentence(Stack):
    """A sentence in which some numbers are menus, above a view that shows the chosen numbers."""

    def __init__(self, template: str, view: View | None, numbers: Mapping[str, Choices]) -> None:
        self.view, self.text, self._template = view, "", template
        self._functions = {name: each for name, each in numbers.items() if callable(each)}
        self.menus = {
            name: Dropdown(options=[(exact(x), x) for x in each], tooltip=name)
            for name, each in numbers.items()
            if not callable(each)
        }
        self._outputs = {name: Html() for name in self._functions}
        line: list[Html | Dropdown] = []
        for text, name, _, _ in Formatter().parse(template):
            line.append(Html(escape(text)))
            if name is not None:
                line.append(self.menus.get(name) or self._outputs[name])
        parts = [css_widget(LESSON_CSS), row(line, css_class="dpviz-inline")]
        parts += [] if view is None else [view]
        super().__init__(parts, _dom_classes=["dpviz", "dpviz-lesson", "dpviz-asked"])
        for menu in self.menus.values():
            menu.observe(self._update, names="value")
        self._update()

    def _update(self, _change: object = None) -> None:
        """Show the chosen numbers in the view, compute the other numbers, write the sentence."""
        chosen = {name: menu.value for name, menu in self.menus.items()}
        if self.view is not None:
            self.view.change(**chosen)
        self.text = ""
        for text, name, form, _ in Formatter().parse(self._template):
            self.text += text
            if name in self.menus:
                self.text += self.menus[name].label
            elif name is not None:
                said = format(self._functions[name](**chosen), form or "")
                self.text += said
                self._outputs[name].value = f"<output>{escape(said)}</output>"
