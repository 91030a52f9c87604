"""An audit as text: the answer, a ruler of epsilon, the scores, and all sentences and numbers."""

import math
from collections.abc import Callable
from textwrap import TextWrapper

from dpviz.analysis.topic import IN_TITLE, ON_SLIDE
from dpviz.analysis.topics.answer import Answer, largest_epsilon_on_ruler
from dpviz.analysis.topics.registry import SCENES, SENTENCES
from dpviz.audit.scores.base import source_sizes_and_warnings
from dpviz.number_format import short, short_above, upper
from dpviz.reports.groups.registry import GROUPS
from dpviz.reports.material import NO_CLAIM, ReportData

WIDTH = 80  # columns of a terminal
INDENT = "  "
CLAIM, CHECKLIST, FURTHER_TITLE = "Claim", "Checklist", "Further"
# Sentences above and below the ruler.
ABOVE, BELOW = (
    ("answer", "answer_detail", "large_delta", "reading"),
    (
        *("gate", "limit_test", "lowest", "best_of", "cautions", "protocol"),
        *("at_one_percent", "answer_limits", "at_most"),
    ),
)
FULL_HINT = "Add --full for all sentences and numbers, or --report PATH for a document."
# Fields of a report in the table, by group.
TABLE_FIELDS = {
    "claim": ("epsilon",),
    "epsilon": ("lower_bound", "ceiling", "epsilon_star", "raw_epsilon", "raw_epsilon_by_chance"),
    "results": ("auc", "advantage", "tpr", "ppv"),
}
WITHOUT_CLAIM = "No claim was tested. The option --claim states a claim to be tested."
NAME_WIDTH, AXIS_WIDTH = 12, 48  # characters, of the ruler


def epsilon_ruler_lines(answer: Answer) -> list[str]:
    """Return the ruler as lines of text: a row for each epsilon in `answer`, then the axis."""
    # Bounds are rounded to the safe side: upper ones up, the certified one down.
    end, claimed = largest_epsilon_on_ruler(answer), answer.claimed or 0.0
    rows: tuple[tuple[str, str, float | None, Callable[[float], str]], ...] = (
        ("claimed", "|", answer.claimed, lambda value: short(upper(value))),
        ("certified", "=", answer.certified, lambda x: f"at least {short_above(x, claimed)}"),
        ("chance alone", "-", answer.chance, lambda value: f"up to about {short(upper(value))}"),
        ("Epsilon*", "o", answer.estimate, lambda value: f"{short(value)}, an estimate"),
        ("ceiling", "|", answer.ceiling, lambda value: short(upper(value))),
        ("this attack", "]", answer.at_most, lambda value: f"at most {short(upper(value))}"),
    )
    lines = [
        f"{name:<{NAME_WIDTH}} {_ruler_row(mark, value / end):<{AXIS_WIDTH}} {write(value)}"
        for name, mark, value, write in rows
        if value is not None and not math.isnan(value)
    ]
    return [*lines, f"{'ε':<{NAME_WIDTH}} 0{short(end):>{AXIS_WIDTH - 1}}"]


def _ruler_row(symbol: str, relative_position: float) -> str:
    """Return a bar of "=" or "-" up to the position, or any other symbol alone at the position."""
    at = round(min(relative_position, 1.0) * (AXIS_WIDTH - 1))
    return symbol * at if symbol in "=-" else " " * at + symbol


def audit_text(material: ReportData, *, full: bool = False) -> str:
    """Return the text that ``dpviz audit`` prints; `full` adds all sentences and a table."""
    sentences = material.sentences
    above, below = (
        "\n".join(wrapped_text(sentences[n]) for n in names if n in sentences)
        for names in (ABOVE, BELOW)
    )
    parts = [above, "\n".join(epsilon_ruler_lines(material.result.answer)), below]
    if material.scores is not None:
        parts.append("\n".join(source_sizes_and_warnings(material.scores)))
    if not material.is_claimed:
        parts.append(WITHOUT_CLAIM)
    if not full:
        return "\n\n".join([*filter(None, parts), FULL_HINT]) + "\n"
    for title, texts in sentences_by_picture(material):
        parts.append("\n".join([title, *(wrapped_text(each, INDENT, INDENT) for each in texts)]))
    return "\n\n".join([*parts, _numbers_table_text(material)]) + "\n"


def sentences_by_picture(material: ReportData) -> list[tuple[str, list[str]]]:
    """Return (title, sentences) per picture, without the sentences above and below the ruler."""
    # Topics of one view share its title; sentences without a view come last.
    titles = {"claim": CLAIM}
    for scene in SCENES.values():
        titles.setdefault(scene.lead_topic or scene.topic, scene.title_of(material.result))
    titles["checklist"] = CHECKLIST
    found: dict[str, list[str]] = {title: [] for title in (*titles.values(), FURTHER_TITLE)}
    for name, sentence in material.sentences.items():
        topic = SENTENCES[name].picture
        if name not in (*ABOVE, *BELOW) and topic not in (ON_SLIDE, IN_TITLE):
            found[titles.get(topic, FURTHER_TITLE)].append(sentence)
    return [(title, texts) for title, texts in found.items() if texts]


def _numbers_table_text(material: ReportData) -> str:
    shown = [
        field
        for group, names in TABLE_FIELDS.items()
        for field in GROUPS[group](material).fields
        if field.name in names and field.reason != NO_CLAIM
    ]
    rows = [
        (f.label, "none", f.reason) if f.value is None else (f.label, f.shown, f.note)
        for f in shown
    ]
    label_width, value_width = (max(len(row[column]) for row in rows) for column in (0, 1))
    lines = [f"Numbers (δ = {short(material.result.claim.delta)})"]
    for label, value, meaning in rows:
        start = f"{INDENT}{label:<{label_width}}  {value:<{value_width}}  "
        lines.append(wrapped_text(meaning, start, " " * len(start)))
    return "\n".join(lines)


def wrapped_text(text: str, first_indent: str = "", indent: str = "") -> str:
    """Wrap a text to the width of a terminal, without a line break before "%" or beside "="."""
    kept = text.replace(" %", "\xa0%").replace(" = ", "\xa0=\xa0")
    wrap = TextWrapper(WIDTH, first_indent, indent, break_long_words=False, break_on_hyphens=False)
    return wrap.fill(kept).replace("\xa0", " ")
