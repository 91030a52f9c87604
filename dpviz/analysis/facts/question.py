"""A question of the validity checklist, its possible answers, and what each of them changes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Scope = Literal["audit", "fixed threshold"]


class Audited(Protocol):
    """What an audit assumes by its own choices; a `Spec` is one."""

    @property
    def claim(self) -> Any:
        """The guarantee under test."""

    @property
    def applies_to(self) -> str:
        """Whose epsilon the records are about."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A possible answer.

    Parameters
    ----------
    label : str
        The answer in a menu.
    limit : str
        The fact that limits what the audit shows, in a few words; empty if nothing does.
    effect : str
        One sentence: what this fact changes.

    Examples
    --------
    >>> from dpviz.analysis.facts.registry import QUESTIONS
    >>> QUESTIONS["population"].choices["different"].limit
    'not the same population'
    """

    label: str
    limit: str = ""
    effect: str = ""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question whose answer decides what the numbers of an audit mean.

    Parameters
    ----------
    text : str
        The question.
    subject : str
        What it is about, in lists of what nobody has stated.
    choices : mapping of str to Choice
        The possible answers by the words that files and Python use.
    scope : {"audit", "fixed threshold"}
        What an answer limits: every result, or only bounds at a fixed threshold.
    assumed : callable, optional
        The answer that the audit itself assumes, by its own choices.
    mismatch : Choice, optional
        What it means if another answer is stated; `{stated}` and `{assumed}` in its texts are
        their labels.

    Examples
    --------
    >>> from dpviz.analysis.facts.registry import QUESTIONS
    >>> QUESTIONS["population"].text
    'Are members and non-members random draws from the same population?'
    """

    text: str
    subject: str
    choices: Mapping[str, Choice]
    scope: Scope = "audit"
    assumed: Callable[[Audited], str] | None = None
    mismatch: Choice | None = None

    def choice(self, answer: str, audited: Audited) -> Choice:
        """Return a choice, with its limit and effect in an audit of such choices."""
        stated = self.choices[answer]
        if self.assumed is None or self.mismatch is None or self.assumed(audited) == answer:
            return stated
        labels = {"stated": stated.label, "assumed": self.choices[self.assumed(audited)].label}
        return Choice(
            label=stated.label,
            limit=self.mismatch.limit.format(**labels),
            effect=self.mismatch.effect.format(**labels),
        )
