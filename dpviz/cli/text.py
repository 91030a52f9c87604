"""An audit as text: the description of the scores, the sentences of the explorer, the numbers."""

import math
from textwrap import fill

from dpviz.analysis import SENTENCES
from dpviz.analysis.topic import SLIDE
from dpviz.analysis.topics.answer import Answer, reach
from dpviz.analysis.topics.registry import SCENES
from dpviz.audit.scores.base import description
from dpviz.number_format import short, short_above, upper
from dpviz.reports.groups.registry import GROUPS
from dpviz.reports.material import NO_CLAIM as NOT_CLAIMED
from dpviz.reports.material import Material

NAMES = 12  # characters of a name
LENGTH = 48  # characters of the axis


def ruler_lines(answer: Answer) -> list[str]:
    """Lines with a mark and a number each, then the axis; what is not known is left out."""
    end = reach(answer)
    rows = []
    if answer.claimed is not None:
        rows.append(("claimed", "|", answer.claimed, short(upper(answer.claimed))))
    if answer.certified is not None:
        least = short_above(answer.certified, answer.claimed or 0.0)
        rows.append(("certified", "=", answer.certified, f"at least {least}"))
    if answer.chance is not None:
        most = short(upper(answer.chance))
        rows.append(("chance alone", "-", answer.chance, f"up to about {most}"))
    if answer.estimate is not None:
        rows.append(("Epsilon*", "o", answer.estimate, f"{short(answer.estimate)}, an estimate"))
    if answer.ceiling is not None:
        rows.append(("ceiling", "|", answer.ceiling, f"{short(upper(answer.ceiling))}"))
    lines = [
        f"{name:<{NAMES}} {_bar(mark, value / end):<{LENGTH}} {text}"
        for name, mark, value, text in rows
        if not math.isnan(value)
    ]
    return [*lines, f"{'ε':<{NAMES}} 0{short(end):>{LENGTH - 1}}"]


def _bar(mark: str, share: float) -> str:
    """A bar of `=` or `-` from 0, or one sign at its place; beyond the axis at its end."""
    at = round(min(share, 1.0) * (LENGTH - 1))
    return mark * at if mark in "=-" else " " * at + mark


# An audit as text: the description of the scores, the sentences of the explorer, the numbers.

WIDTH = 80  # columns of a terminal
INDENT = "  "
CLAIM, CHECKLIST, FURTHER = "Claim", "Checklist", "Further"
HEAD, BELOW = (
    ("answer", "answer_detail", "large_delta", "reading"),
    ("lowest", "best_of", "cautions", "protocol", "at_one_percent", "answer_limits"),
)
MORE = "All sentences and numbers: --full. As a document: --report PATH."

NUMBERS = {  # fields of a report by group
    "claim": ("epsilon",),
    "epsilon": (
        *("lower_bound", "ceiling", "epsilon_star"),
        *("raw_epsilon", "raw_epsilon_by_chance"),
    ),
    "results": ("auc", "advantage", "tpr", "ppv"),
}

NO_CLAIM = "No claim was given (--claim): sentences about one are left out."


def text(made: Material, *, full: bool = False) -> str:
    """The answer, the ruler and what was read; if `full`, all sentences and numbers below them.

    Lines have at most `WIDTH` characters, but for the three about what was read, which are data.
    """
    said = made.sentences
    parts = ["\n".join(_wrapped(said[name], "", "") for name in HEAD if name in said)]
    parts.append("\n".join(ruler_lines(made.result.answer)))
    parts.append("\n".join(_wrapped(said[name], "", "") for name in BELOW if name in said))
    if made.scores is not None:
        parts.append("\n".join(description(made.scores)))
    if not made.is_claimed:
        parts.append(NO_CLAIM)
    if not full:
        return "\n\n".join([*filter(None, parts), MORE]) + "\n"
    parts += [_section(title, said) for title, said in views(made)]
    parts.append(_table(made))
    return "\n\n".join(parts) + "\n"


def views(made: Material) -> list[tuple[str, list[str]]]:
    """Return titles of the explorer's views in their order, each with its sentences, none twice."""
    titles = {"claim": CLAIM}
    for scene in SCENES.values():
        titles.setdefault(scene.lead_topic or scene.topic, scene.title_of(made.result))
    titles["checklist"] = CHECKLIST
    found: dict[str, list[str]] = {title: [] for title in (*titles.values(), FURTHER)}
    for name, sentence in made.sentences.items():
        topic = SENTENCES[name].picture
        if name not in (*HEAD, *BELOW) and topic != SLIDE:
            found[titles.get(topic, FURTHER)].append(sentence)
    return [(title, texts) for title, texts in found.items() if texts]


def _section(title: str, said: list[str]) -> str:
    return "\n".join([title, *(_wrapped(text, INDENT) for text in said)])


def _table(made: Material) -> str:
    fields = [
        field
        for group, names in NUMBERS.items()
        for field in GROUPS[group](made).fields
        if field.name in names and field.reason != NOT_CLAIMED
    ]
    found = [
        (field.label, field.shown, field.note)
        if field.value is not None
        else (field.label, "none", field.reason)
        for field in fields
    ]
    names, values = (max(len(row[column]) for row in found) for column in (0, 1))
    lines = [f"Numbers (δ = {short(made.result.claim.delta)})"]
    for label, value, meaning in found:
        start = f"{INDENT}{label:<{names}}  {value:<{values}}  "
        lines.append(_wrapped(meaning, start, " " * len(start)))
    return "\n".join(lines)


def _wrapped(text: str, first: str, rest: str = INDENT) -> str:
    # No line break between a number and its unit or its name.
    kept = text.replace(" %", "\xa0%").replace(" = ", "\xa0=\xa0")
    return fill(
        kept,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    ).replace("\xa0", " ")
