"""A topic: the sentences, tables and pictures about one subject.

The first sentence below a picture, its lead (function `lead`), has at most 25 words. Reasons and
assumptions (`about` or `summary`) are hidden until the user unfolds the details. Measured numbers
are called estimates; what a guarantee allows is stated with "at most" or "at least".
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from inspect import signature
from typing import Any, Generic, NamedTuple, TypeVar

from dpviz.analysis.result import Result
from dpviz.analysis.words import WORDS
from dpviz.drawing import Scene
from dpviz.drawing.layer import part_at_path
from dpviz.naming import Naming

# In place of the topic of a picture: the sentence is only on slides, or in a picture's title.
ON_SLIDE, IN_TITLE = "slide", "title"


class Table(NamedTuple):
    """A table of texts: caption, head and rows."""

    caption: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    def renamed(self, naming: Naming, *, user_text: bool = False) -> "Table":
        """Return the table with the error rates renamed, except in rows that users wrote."""
        rename = naming.renamed
        rows = self.rows if user_text else [tuple(map(rename, row)) for row in self.rows]
        return Table(rename(self.caption), tuple(map(rename, self.head)), rows)


Text = TypeVar("Text", str, Table)


@dataclass(frozen=True)
class TextWriter(Generic[Text]):
    """A function that writes one sentence or table of a topic from a result."""

    # Called with the part at `of`, if given, and with the result, if it takes one more argument.
    write: Callable[..., Text]
    picture: str = ""  # the `topic` of the scene that the sentence belongs to
    of: str = ""  # path of a part of a result: "sample", "answers.plan"
    without_part: str = ""  # the text if there is no such part
    lead: bool = False  # whether it is the always visible first sentence below the picture
    in_sight: bool = False  # whether it is visible below the lead
    about_claim: bool = False  # reports and the command line leave it out without a claim
    without_claim: bool = False  # it has a text for results in which nothing is claimed, too
    when: Callable[[Result], bool] = lambda _: True  # whether it applies to a result
    user_text: bool = False  # it contains texts of users, in which no rate is renamed
    fixed: bool = False  # no control of a saved page changes it

    @property
    def is_folded(self) -> bool:
        """Whether the sentence is hidden until the reader unfolds the details below the picture."""
        return not (self.lead or self.in_sight)

    def applies(self, result: Result) -> bool:
        """Return whether the text applies to a result; False if the answer it needs is missing."""
        is_missing = self.of.startswith("answers.") and part_at_path(result, self.of) is None
        return not is_missing and self.when(result)

    def __call__(self, result: Result) -> Text:
        """Return the sentence or table about a result; error rates are named by `result.naming`."""
        text: Text = self._text(result)
        naming = result.naming
        if isinstance(text, str):
            return text if self.user_text else naming.renamed(text)
        return Table(*text).renamed(naming, user_text=self.user_text)

    def _text(self, result: Result) -> Any:
        if self.about_claim and not self.without_claim and not result.is_claimed:
            # A picture keeps its lead, which says that nothing is claimed.
            return WORDS["no_claim"] if self.lead else ""
        if not self.of:
            return self.write(result)
        part = part_at_path(result, self.of)
        if part is None:
            return self.without_part
        return self.write(part, *[result] * self._takes_result)

    @cached_property
    def _takes_result(self) -> bool:
        return len(signature(self.write).parameters) > 1


class TextsAboutResult(Mapping[str, Text]):
    """The sentences or tables that apply to a result, by name; each is computed when first read."""

    def __init__(self, writers: Mapping[str, TextWriter[Text]], result: Result) -> None:
        self._writers: Mapping[str, TextWriter[Text]] = {
            name: each for name, each in writers.items() if each.applies(result)
        }
        self._result = result
        self._written: dict[str, Text] = {}

    def __getitem__(self, name: str) -> Text:
        if name not in self._written:
            self._written[name] = self._writers[name](self._result)
        return self._written[name]

    def __contains__(self, name: object) -> bool:
        return name in self._writers

    def __iter__(self) -> Iterator[str]:
        return iter(self._writers)

    def __len__(self) -> int:
        return len(self._writers)

    def __repr__(self) -> str:
        return repr(dict(self))


def has_scores(result: Result) -> bool:
    """Return whether a result has scores."""
    return result.sample is not None


@dataclass(frozen=True)
class Topic:
    """The sentences, tables and pictures about one subject, each by name."""

    sentences: Mapping[str, TextWriter[str]] = field(default_factory=dict)
    tables: Mapping[str, TextWriter[Table]] = field(default_factory=dict)
    scenes: Mapping[str, Scene] = field(default_factory=dict)


def answer_topic(
    scene: Scene,
    lead: Callable[..., str],
    about: Callable[..., str],
    table: Callable[..., Table] | None = None,
    *,
    about_claim: bool = False,
    user_text: bool = False,
    **further: Callable[..., str],
) -> Topic:
    """Return a topic: the picture `scene`, and texts about the answer that the picture needs."""
    # `lead`, `about` and `table` write the first sentence, the details and the table. A keyword in
    # `further`, such as `more`, writes the sentence "plan_more" where `scene.needs` is "plan".
    name = scene.needs
    flags: dict[str, Any] = {"about_claim": about_claim, "user_text": user_text}

    def text_about(write: Callable[..., Any], **more: Any) -> TextWriter[Any]:
        return TextWriter(write, name, f"answers.{name}", **flags, **more)

    sentences = {f"{name}_lead": text_about(lead, lead=True), name: text_about(about)}
    sentences |= {f"{name}_{key}": text_about(write) for key, write in further.items()}
    return Topic(sentences, {name: text_about(table)} if table else {}, {name: scene})
