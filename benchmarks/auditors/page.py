"""The page about other libraries' bounds, made from the measured file."""

from collections.abc import Callable
from typing import Any

from benchmarks.auditors.methods import METHODS
from benchmarks.pages import APPENDIX, write_table
from dpviz.testing.auditors.cases import CASES
from dpviz.testing.auditors.result import CHANCE, limits_of_share, p_value

PAGE = APPENDIX / "auditors.md"
UNUSUAL = {"n_raised": "raised", "n_nan": "NaN", "n_negative": "negative", "n_infinite": "∞"}


def write(table: dict[str, Any]) -> None:
    """Write the tables into the page."""
    for name, lines in tables(table).items():
        write_table(PAGE, name, lines)


def tables(table: dict[str, Any]) -> dict[str, list[str]]:
    """The lines of each table of the page."""
    return {
        "auditors": summary(table),
        "false": by_case(table, lambda row: f"{100 * share(row):.1f}"),
        "medians": by_case(table, lambda row: f"{row['median']:.2f}"),
    }


def share(row: dict[str, Any]) -> float:
    """The share of false bounds; -1 where there was none."""
    return row["n_false"] / row["n_judged"] if row["n_judged"] else -1.0


def exceeding(rows: list[dict[str, Any]], level: float) -> list[str]:
    """The cases with more false bounds than the level allows, as in `AuditorCheck.exceeding`."""
    each = CHANCE / len(rows)
    return [row["case"] for row in rows if p_value(row["n_false"], row["n_judged"], level) <= each]


def split(key: str, table: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The rows in which a method's conditions hold, and the others."""
    rows = table["methods"][key]["cases"]
    fit = [row for row in rows if METHODS[key].fits(CASES[row["case"]])]
    return fit, [row for row in rows if row not in fit]


def missing(key: str, table: dict[str, Any]) -> list[str]:
    """The cases in which a method was not measured yet."""
    rows = table["methods"].get(key, {"cases": []})["cases"]
    measured = [row["case"] for row in rows]
    return [case for case in METHODS[key].cases if case not in measured]


def worst(rows: list[dict[str, Any]]) -> str:
    """The case in which bounds were false most often, and how often, with limits."""
    judged = [row for row in rows if row["n_judged"]]
    if not judged:
        return "-"
    row = max(judged, key=share)
    low, high = limits_of_share(row["n_false"], row["n_judged"])
    limits = f"{100 * low:.1f} to {100 * high:.1f} %"
    return f"{row['n_false']} of {row['n_judged']} ({limits}): {row['case']}"


def unusual(rows: list[dict[str, Any]]) -> str:
    """How many calls raised, or returned NaN, a negative number or infinity."""
    calls = sum(row["n_runs"] for row in rows)
    counts = {word: sum(row[name] for row in rows) for name, word in UNUSUAL.items()}
    said = [f"{count} of {calls} {word}" for word, count in counts.items() if count]
    return ", ".join(said) or "-"


def summary(table: dict[str, Any]) -> list[str]:
    """A line for each method: its conditions, and how often it was false at worst."""
    level = 1 - table["about"]["confidence_level"]
    lines = [
        "| library | method | takes | right under | false at worst, conditions met | cases above 5 % "
        "| false at worst, not met | calls its number | raised, NaN, negative, ∞ |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for key, told in table["methods"].items():
        fit, others = split(key, table)
        cells = [
            f"{told['library']} {told['version']}",
            told["name"],
            told["takes"],
            told["supposes"],
            worst(fit),
            f"{len(exceeding(fit, level))} of {len(fit)}" if fit else "-",
            worst(others),
            f"[{told['states']}]({told['link']})",
            unusual(fit),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    left = [
        f"{method.library}, {method.name} ({len(missing(key, table))} of {len(method.cases)} cases)"
        for key, method in METHODS.items()
        if missing(key, table)
    ]
    return [*lines, "", f"Not measured yet: {'; '.join(left)}."] if left else lines


def by_case(table: dict[str, Any], said: Callable[[dict[str, Any]], str]) -> list[str]:
    """A number of each method in each case, in brackets where its conditions are not met."""
    keys = list(table["methods"])
    rows = {(key, row["case"]): row for key in keys for row in table["methods"][key]["cases"]}
    lines = [f"| case | δ | ε | {' | '.join(keys)} |", "|---|---|---|" + "---|" * len(keys)]
    for name, case in CASES.items():
        cells = [name, f"{case.delta:g}", f"{case.epsilon:.2f}"]
        for key in keys:
            row = rows.get((key, name))
            cell = said(row) if row and row["n_judged"] else "-"
            cells.append(cell if cell == "-" or METHODS[key].fits(case) else f"({cell})")
        lines.append(f"| {' | '.join(cells)} |")
    return lines
