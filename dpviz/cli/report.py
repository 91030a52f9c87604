"""An audit as text: what was understood, the sentences of the explorer, the numbers."""

from textwrap import fill

from dpviz.analysis.wording import short
from dpviz.audit.understood import understood
from dpviz.cli.audited import Audit
from dpviz.cli.numbers import rows
from dpviz.pictures.scenes import SCENES

WIDTH = 80
INDENT = "  "
CLAIM = ("Claim", ("implies",))
NO_CLAIM = "No claim was given (--claim): what is said of one is left out."


def report(audit: Audit) -> str:
    """Lines of at most `WIDTH` characters, but for the first three, which are data."""
    parts = ["\n".join(understood(audit.scores))]
    if not audit.is_claimed:
        parts.append(NO_CLAIM)
    parts += [_section(title, said) for title, said in views(audit)]
    parts.append(_table(audit))
    return "\n\n".join(parts) + "\n"


def views(audit: Audit) -> list[tuple[str, list[str]]]:
    """Titles of the explorer's views in their order, with what each says; nothing twice."""
    found, left = [], dict(audit.sentences)
    for title, names in (CLAIM, *((each.title, each.sentences) for each in SCENES.values())):
        said = [left.pop(name) for name in names if name in left]
        if said:
            found.append((title, said))
    return found


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
    """In lines that part no number from its unit or its name."""
    kept = text.replace(" %", "\xa0%").replace(" = ", "\xa0=\xa0")
    return fill(
        kept,
        WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    ).replace("\xa0", " ")
