"""The page about other libraries' bounds, made from the measured file."""

from typing import Any

from scipy.special import bdtrc

from benchmarks.auditors.methods import METHODS
from benchmarks.pages import APPENDIX, write_table
from dpviz.audit.roc.intervals import clopper_pearson
from dpviz.testing.auditors.cases import CASES
from dpviz.testing.auditors.result import CHANCE, LIMITS

PAGE = APPENDIX / "auditors.md"


def write(table: dict[str, Any]) -> None:
    """Write both tables into the page."""
    write_table(PAGE, "auditors", summary(table))
    write_table(PAGE, "cases", by_case(table))


def share(row: dict[str, Any]) -> float:
    """The share of false bounds; -1 where there was none."""
    return row["n_false"] / row["n_judged"] if row["n_judged"] else -1.0


def exceeds(rows: list[dict[str, Any]], level: float) -> list[str]:
    """The cases with more false bounds than the level allows, as in `AuditorCheck.exceeding`."""
    return [
        row["case"]
        for row in rows
        if row["n_false"]
        and bdtrc(row["n_false"] - 1, row["n_judged"], level) <= CHANCE / len(rows)
    ]


def split(key: str, table: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The rows in which a method's conditions hold, and the others."""
    rows = table["methods"][key]["cases"]
    fit = [row for row in rows if METHODS[key].fits(CASES[row["case"]])]
    return fit, [row for row in rows if row not in fit]


def in_words(row: dict[str, Any]) -> str:
    """How often a bound was false, with limits."""
    if not row["n_judged"]:
        return "no bound"
    low, high = clopper_pearson(row["n_false"], row["n_judged"], confidence_level=LIMITS)
    limits = f"{100 * low:.1f} to {100 * high:.1f} %"
    return f"{row['n_false']} of {row['n_judged']} ({limits}): {row['case']}"


def no_bounds(rows: list[dict[str, Any]]) -> str:
    """What was no bound in the cases that fit, in few words."""
    names = {"n_raised": "raised", "n_nan": "NaN", "n_negative": "negative", "n_infinite": "∞"}
    calls = sum(row["n_runs"] for row in rows)
    counts = {word: sum(row[name] for row in rows) for name, word in names.items()}
    said = [f"{count} of {calls} {word}" for word, count in counts.items() if count]
    return ", ".join(said)


def summary(table: dict[str, Any]) -> list[str]:
    """A line for each method: its conditions, and how often it was false at worst."""
    level = 1 - table["about"]["confidence_level"]
    lines = [
        "| library | method | takes | right under | false at worst, conditions met "
        "| cases above 5 % | false at worst, not met | calls its number | no bounds |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for key, told in table["methods"].items():
        fit, others = split(key, table)
        above = exceeds(fit, level)
        cells = [
            f"{told['library']} {told['version']}",
            told["method"],
            told["takes"],
            told["supposes"],
            in_words(max(fit, key=share)),
            f"{len(above)} of {len(fit)}",
            in_words(max(others, key=share)) if others else "-",
            f"[{told['states']}]({told['link']})",
            no_bounds(fit) or "-",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    missing = [
        f"{m.library}, {m.name}" for key, m in METHODS.items() if key not in table["methods"]
    ]
    return [*lines, "", f"Not measured yet: {'; '.join(missing)}."] if missing else lines


def by_case(table: dict[str, Any]) -> list[str]:
    """The share of false bounds and the median of each method in each case."""
    keys = list(table["methods"])
    lines = [
        f"| case | δ | ε | {' | '.join(keys)} |",
        "|---|---|---|" + "---|" * len(keys),
    ]
    for name, case in CASES.items():
        cells = []
        for key in keys:
            rows = {row["case"]: row for row in table["methods"][key]["cases"]}
            fits = METHODS[key].fits(case)
            if name not in rows or not rows[name]["n_judged"]:
                cells.append("-")
                continue
            said = f"{100 * share(rows[name]):.1f} %; {rows[name]['median']:.2f}"
            cells.append(said if fits else f"({said})")
        lines.append(f"| {name} | {case.delta:g} | {case.epsilon:.2f} | {' | '.join(cells)} |")
    return lines
