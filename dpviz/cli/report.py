"""An audit as text: the description of the scores, the sentences of the explorer, the numbers."""

from textwrap import fill

from dpviz.analysis import SENTENCES
from dpviz.analysis.number_format import short
from dpviz.analysis.sentences.registry import SLIDE
from dpviz.audit.scores.description import understood
from dpviz.cli.audited import Audit
from dpviz.cli.numbers import rows
from dpviz.cli.ruler import ruler_lines
from dpviz.pictures.scenes import SCENES

WIDTH = 80  # columns of a terminal
INDENT = "  "
CLAIM, CHECKLIST, FURTHER = "Claim", "Checklist", "Further"
HEAD, BELOW = (
    ("answer", "answer_detail", "reading"),
    ("cautions", "at_one_percent", "answer_limits"),
)
MORE = "All sentences and numbers: --full. As JSON: --json PATH."
NO_CLAIM = "No claim was given (--claim): sentences about one are left out."


def report(audit: Audit, *, full: bool = False) -> str:
    """The answer, the ruler and what was read; if `full`, all sentences and numbers below them.

    Lines have at most `WIDTH` characters, but for the three about what was read, which are data.
    """
    said = audit.sentences
    parts = ["\n".join(_wrapped(said[name], "", "") for name in HEAD if name in said)]
    parts.append("\n".join(ruler_lines(audit.result.answer, is_claimed=audit.is_claimed)))
    parts.append("\n".join(_wrapped(said[name], "", "") for name in BELOW if name in said))
    parts.append("\n".join(understood(audit.scores)))
    if not audit.is_claimed:
        parts.append(NO_CLAIM)
    if not full:
        return "\n\n".join([*filter(None, parts), MORE]) + "\n"
    parts += [_section(title, said) for title, said in views(audit)]
    parts.append(_table(audit))
    return "\n\n".join(parts) + "\n"


def views(audit: Audit) -> list[tuple[str, list[str]]]:
    """Return titles of the explorer's views in their order, each with its sentences, none twice."""
    titles = {"claim": CLAIM}
    for scene in SCENES.values():
        titles.setdefault(scene.topic, scene.title_of(audit.result))
    titles["checklist"] = CHECKLIST
    found: dict[str, list[str]] = {title: [] for title in (*titles.values(), FURTHER)}
    for name, text in audit.sentences.items():
        topic = SENTENCES[name].picture
        if name not in (*HEAD, *BELOW) and topic != SLIDE:
            found[titles.get(topic, FURTHER)].append(text)
    return [(title, texts) for title, texts in found.items() if texts]


def _section(title: str, said: list[str]) -> str:
    return "\n".join([title, *(_wrapped(text, INDENT) for text in said)])


def _table(audit: Audit) -> str:
    found = rows(audit)
    names, values = (max(len(row[column]) for row in found) for column in (0, 1))
    lines = [f"Numbers (δ = {short(audit.result.claim.delta)})"]
    for called, value, meaning in found:
        start = f"{INDENT}{called:<{names}}  {value:<{values}}  "
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
