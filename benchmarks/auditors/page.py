"""The page about other libraries' bounds, made from the measured file."""

from collections.abc import Callable
from typing import Any

from benchmarks.auditors.methods import METHODS
from benchmarks.pages import APPENDIX, write_table
from dpviz.number_format import short
from dpviz.testing.auditors.cases import CASES
from dpviz.testing.auditors.result import limits_over_cases

PAGE = APPENDIX / "auditors.md"
PER_TABLE = 6  # methods in a table, which is as wide as the text then
UNUSUAL = {"n_raised": "raised", "n_nan": "NaN", "n_negative": "negative", "n_infinite": "∞"}
Row = dict[str, Any]  # of the file: a method in a case


def write(table: dict[str, Any]) -> None:
    """Write the tables into the page."""
    for name, lines in tables(table).items():
        write_table(PAGE, name, lines)


def tables(table: dict[str, Any]) -> dict[str, list[str]]:
    """The lines of each table of the page."""
    return {
        "auditors": summary(table),
        "functions": functions(table),
        "cases": known_cases(),
        "false": by_case(table, lambda row: f"{row['n_false']}/{row['n_judged']}"),
        "medians": by_case(table, lambda row: f"{row['median']:.2f}"),
    }


def exceeding(rows: list[Row], level: float) -> list[str]:
    """The cases shown to have more false bounds than the level allows, as `AuditorCheck` does."""
    return [row["case"] for row in rows if limits(row, rows)[0] > level]


def limits(row: Row, rows: list[Row]) -> tuple[float, float]:
    """Limits of the probability of a false bound, which hold in all these rows at once."""
    return limits_over_cases(row["n_false"], row["n_judged"], len(rows))


def split(key: str, table: dict[str, Any]) -> tuple[list[Row], list[Row]]:
    """The rows in which a method's conditions hold, and the others."""
    rows = table["methods"][key]["cases"]
    fit = [row for row in rows if METHODS[key].fits(CASES[row["case"]])]
    return fit, [row for row in rows if row not in fit]


def missing(key: str, table: dict[str, Any]) -> list[str]:
    """The cases in which a method was not measured yet."""
    rows = table["methods"].get(key, {"cases": []})["cases"]
    measured = [row["case"] for row in rows]
    return [case for case in METHODS[key].cases if case not in measured]


def worst(rows: list[Row]) -> list[str]:
    """The case with the largest lower limit, which few runs cannot make: counts and limits."""
    judged = [row for row in rows if row["n_judged"]]
    if not judged:
        return ["-"] * 3
    row = max(judged, key=lambda row: (limits(row, rows)[0], row["n_false"] / row["n_judged"]))
    low, high = (100 * limit for limit in limits(row, rows))
    return [row["case"], f"{row['n_false']} of {row['n_judged']}", f"{low:.1f} to {high:.1f}"]


def unusual(rows: list[Row]) -> str:
    """How many calls raised, or returned NaN, a negative number or infinity."""
    calls = sum(row["n_runs"] for row in rows)
    counts = {word: sum(row[name] for row in rows) for name, word in UNUSUAL.items()}
    said = [f"{count} of {calls} {word}" for word, count in counts.items() if count]
    return ", ".join(said)


def summary(table: dict[str, Any]) -> list[str]:
    """A line for each method: its conditions, where it was false too often, and the worst case."""
    level = 1 - table["about"]["confidence_level"]
    lines = [
        "| method | right under | false too often | worst case | false bounds | limits, % |",
        "|---|---|---|---|---|---|",
    ]
    for key, told in table["methods"].items():
        fit, _ = split(key, table)
        found = f"{len(exceeding(fit, level))} of {len(fit)}"
        lines.append(f"| {' | '.join([key, told['supposes'], found, *worst(fit)])} |")
    left = [
        f"{key} ({len(missing(key, table))} of {len(method.cases)} cases)"
        for key, method in METHODS.items()
        if missing(key, table)
    ]
    return [*lines, "", f"Not measured yet: {'; '.join(left)}."] if left else lines


def functions(table: dict[str, Any]) -> list[str]:
    """A line for each method: its function, what this takes, and how it calls the number."""
    lines = ["| method | library | function | takes | calls its number |", "|---|---|---|---|---|"]
    odd = []
    for key, told in table["methods"].items():
        library = f"{told['library']} {told['version']}"
        states = f"[{told['states']}]({told['link']})"
        lines.append(f"| {' | '.join([key, library, told['name'], told['takes'], states])} |")
        if said := unusual(split(key, table)[0]):
            odd.append(f"{key} {said}")
    begin = "Calls without a number, or with one that is negative or infinite, conditions met"
    return [*lines, "", f"{begin}: {'; '.join(odd)}."]


def known_cases() -> list[str]:
    """A line for each case: its numbers of records, delta and epsilon."""
    lines = ["| case | members + non-members | δ | ε |", "|---|---|---|---|"]
    for name, case in CASES.items():
        sizes = f"{case.n_members} + {case.n_nonmembers}"
        coins = ", on average" if case.fair_coins else ""
        lines.append(f"| {name} | {sizes}{coins} | {short(case.delta)} | {case.epsilon:.2f} |")
    return lines


def by_case(table: dict[str, Any], said: Callable[[Row], str]) -> list[str]:
    """What is said of each method in each case, in brackets where its conditions are not met."""
    keys = list(table["methods"])
    groups = [keys[i : i + PER_TABLE] for i in range(0, len(keys), PER_TABLE)]
    # Blank lines are between tables.
    return [line for group in groups for line in ["", *some_by_case(table, group, said)]][1:]


def some_by_case(table: dict[str, Any], keys: list[str], said: Callable[[Row], str]) -> list[str]:
    """A table of some methods."""
    rows = {(key, row["case"]): row for key in keys for row in table["methods"][key]["cases"]}
    lines = [f"| case | {' | '.join(keys)} |", "|---|" + "---|" * len(keys)]
    for name, case in CASES.items():
        cells = [name]
        for key in keys:
            row = rows.get((key, name))
            cell = said(row) if row and row["n_judged"] else "-"
            cells.append(cell if cell == "-" or METHODS[key].fits(case) else f"({cell})")
        lines.append(f"| {' | '.join(cells)} |")
    return lines
