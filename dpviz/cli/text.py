"""An audit as text: the answer, a ruler of epsilon, the scores, and all sentences and numbers."""

import math
from textwrap import fill

from dpviz.analysis import SENTENCES
from dpviz.analysis.topic import SLIDE
from dpviz.analysis.topics.answer import Answer, reach
from dpviz.analysis.topics.registry import SCENES
from dpviz.audit.scores.base import description
from dpviz.number_format import short, short_above, upper
from dpviz.reports.groups.registry import GROUPS
from dpviz.reports.material import NO_CLAIM, Material

WIDTH = 80  # columns of a terminal
INDENT = "  "
CLAIM, CHECKLIST, FURTHER_TITLE = "Claim", "Checklist", "Further"
# Sentences above and below the ruler.
ABOVE, BELOW = (
    ("answer", "answer_detail", "large_delta", "reading"),
    ("lowest", "best_of", "cautions", "protocol", "at_one_percent", "answer_limits"),
)
FULL_HINT = "All sentences and numbers: --full. As a document: --report PATH."
# Fields of a report in the table, by group.
NUMBERS = {
    "claim": ("epsilon",),
    "epsilon": ("lower_bound", "ceiling", "epsilon_star", "raw_epsilon", "raw_epsilon_by_chance"),
    "results": ("auc", "advantage", "tpr", "ppv"),
}
WITHOUT_CLAIM = "No claim was given (--claim): sentences about one are left out."
NAME_WIDTH, AXIS_WIDTH = 12, 48  # characters, of the ruler


def ruler_lines(answer: Answer) -> list[str]:
    """Return the ruler as lines of text: a bar or mark for each known epsilon, then the axis."""
    # Bounds are rounded to the safe side: upper ones up, the certified one down.
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
        f"{name:<{NAME_WIDTH}} {_bar(mark, value / end):<{AXIS_WIDTH}} {text}"
        for name, mark, value, text in rows
        if not math.isnan(value)
    ]
    return [*lines, f"{'ε':<{NAME_WIDTH}} 0{short(end):>{AXIS_WIDTH - 1}}"]


def _bar(mark: str, share: float) -> str:
    """Return a bar of `=` or `-` from 0, or another mark at its place; both end with the axis."""
    at = round(min(share, 1.0) * (AXIS_WIDTH - 1))
    return mark * at if mark in "=-" else " " * at + mark


def text(material: Material, *, full: bool = False) -> str:
    """Return the answer, the ruler and the scores; if `full`, all sentences and numbers, too.

    Lines have at most `WIDTH` characters, except the three about the scores, which are data.
    """
    said = material.sentences
    parts = ["\n".join(_wrapped(said[name], "", "") for name in ABOVE if name in said)]
    parts.append("\n".join(ruler_lines(material.result.answer)))
    parts.append("\n".join(_wrapped(said[name], "", "") for name in BELOW if name in said))
    if material.scores is not None:
        parts.append("\n".join(description(material.scores)))
    if not material.is_claimed:
        parts.append(WITHOUT_CLAIM)
    if not full:
        return "\n\n".join([*filter(None, parts), FULL_HINT]) + "\n"
    parts += [_section(title, said) for title, said in sections(material)]
    parts.append(_table(material))
    return "\n\n".join(parts) + "\n"


def sections(material: Material) -> list[tuple[str, list[str]]]:
    """Return (title, sentences) of each view of the explorer, in its order, no sentence twice."""
    # Topics of one view share its title; sentences without a view come last.
    titles = {"claim": CLAIM}
    for scene in SCENES.values():
        titles.setdefault(scene.lead_topic or scene.topic, scene.title_of(material.result))
    titles["checklist"] = CHECKLIST
    found: dict[str, list[str]] = {title: [] for title in (*titles.values(), FURTHER_TITLE)}
    for name, sentence in material.sentences.items():
        topic = SENTENCES[name].picture
        if name not in (*ABOVE, *BELOW) and topic != SLIDE:
            found[titles.get(topic, FURTHER_TITLE)].append(sentence)
    return [(title, texts) for title, texts in found.items() if texts]


def _section(title: str, said: list[str]) -> str:
    return "\n".join([title, *(_wrapped(text, INDENT) for text in said)])


def _table(material: Material) -> str:
    rows = [
        (field.label, field.shown, field.note)
        if field.value is not None
        else (field.label, "none", field.reason)
        for group, names in NUMBERS.items()
        for field in GROUPS[group](material).fields
        if field.name in names and field.reason != NO_CLAIM
    ]
    label_width, value_width = (max(len(row[column]) for row in rows) for column in (0, 1))
    lines = [f"Numbers (δ = {short(material.result.claim.delta)})"]
    for label, value, meaning in rows:
        start = f"{INDENT}{label:<{label_width}}  {value:<{value_width}}  "
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
