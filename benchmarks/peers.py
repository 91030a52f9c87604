"""Lower bounds of other libraries and dpviz on the same data, in one run.

In an environment of its own, with dpviz, jax-privacy 2.0.0 and privacy-estimates 0.1.0.post1
(measured with Python 3.11, NumPy 2.4.6, SciPy 1.17.1)::

    pip install jax-privacy==2.0.0 privacy-estimates
    python -m benchmarks.peers          # a quarter of an hour
    python -m benchmarks.peers --page   # only writes the tables again

All bounds are at confidence 0.95. Where the classes are equal, records are members by fair coins,
as audits of one training run suppose. The oracle knows the threshold that would certify most from
as many records, and uses it with exact limits (Clopper-Pearson); privacy-estimates is given the
same threshold, because it takes counts. jax-privacy's development version differs from 2.0.0 in
`epsilon_from_gdp`: its formula, without the absolute value, is computed here. What is measured is
kept in peers.json, a row for each cell; a row that is there is not measured again (some have more
runs than below). The tables in docs/explanation/peers.md and in the README are written from it.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import beta, norm

from benchmarks.coverage import Sampler, responses, shifted
from benchmarks.methods import OTHERS
from dpviz import theory
from dpviz.audit import AttackCurve, AttackScores, lower_bound, lower_bound_from_counts
from dpviz.audit.bounds.result import BoundRequest
from dpviz.audit.roc.intervals import clopper_pearson

LEVEL, RUNS, FEW_RUNS, MORE_RUNS, MOST_RUNS = 0.95, 60, 20, 1000, 10_000
FILE = Path(__file__).with_suffix(".json")
ROOT = Path(__file__).parents[1]
PAGE, README = ROOT / "docs" / "explanation" / "peers.md", ROOT / "README.md"
BEGIN, END = "<!-- peers: begin -->", "<!-- peers: end -->"
COLUMNS = ("law", "members", "nonmembers", "delta", "method", "truth", "runs", "false", "median")
Cell = tuple[str, int, int, float]  # law, members, non-members, delta
Bound = Callable[[AttackScores, float, float], float]  # of scores, delta, the oracle's threshold


def leaking(share: float) -> Sampler:
    """A share of the members moved far up."""
    return lambda rng, n, is_member, _: (
        rng.normal(0, 1, n) + 6 * is_member * (rng.random(n) < share)
    )


def two_answers(fpr: float, tpr: float) -> Sampler:
    """Scores 1 and 0; the larger one with these probabilities."""
    return lambda rng, n, is_member, _: (rng.random(n) < (tpr if is_member else fpr)) * 1.0


# Where Jeffreys' limits of 400 + 600 records are false most often, of a grid of rates: in 7.1 %.
RARE_ALARMS = "FPR 0.44 %, TPR 98.5 %"
# Sampler and true epsilon at a delta; None where it is not needed, because no bound comes near it.
LAWS: dict[str, tuple[Sampler, Callable[[float], float] | None]] = {
    "null": (shifted("normal", 0), theory.PureDP(epsilon=0).epsilon),
    "Laplace 0.2": (shifted("laplace", 0.2), theory.LaplaceMechanism(epsilon=0.2).epsilon),
    "Laplace 1": (shifted("laplace", 1), theory.LaplaceMechanism(epsilon=1).epsilon),
    "randomized response 1": (responses(1), theory.RandomizedResponse(epsilon=1).epsilon),
    "Gaussian 1": (shifted("normal", 1), theory.GaussianDP(mu=1).epsilon),
    "Gaussian 2": (shifted("normal", 2), theory.GaussianDP(mu=2).epsilon),
    "Gaussian 4": (shifted("normal", 4), theory.GaussianDP(mu=4).epsilon),
    "5 % far out": (leaking(0.05), None),
    "2 % far out": (leaking(0.02), None),
    RARE_ALARMS: (two_answers(0.0044, 0.985), lambda _: float(np.log(0.985 / 0.0044))),
}
CELLS: list[Cell] = [
    *((law, 500, 500, 1e-5) for law in LAWS if law != RARE_ALARMS),
    ("Laplace 1", 500, 500, 1e-3),
    ("Gaussian 2", 500, 500, 1e-2),
    ("Gaussian 1", 30, 1000, 1e-5),
]
# Only counted, not shown: where a method's bounds are false most often.
HARDEST: dict[str, Cell] = {"Jeffreys": (RARE_ALARMS, 400, 600, 0.0)}
SHOWN = ("Laplace 1", "Gaussian 1", "Gaussian 2", "5 % far out", "2 % far out")  # in the README
OFTEN = ("null", "Laplace 1")  # laws whose false bounds are counted


def own(method: str) -> Bound:
    """A method of dpviz."""
    return lambda scores, delta, threshold: (
        lower_bound(scores, delta=delta, method=method, threshold=threshold).low
    )


def other(method: str) -> Bound:
    """A method beside those of dpviz."""

    def bound(scores: AttackScores, delta: float, threshold: float) -> float:
        request = BoundRequest(delta=delta, confidence_level=LEVEL, threshold=threshold)
        return OTHERS[method].rule(scores, request).low

    return bound


def jax_privacy(method: str, strategy: str | None, **options: Any) -> Bound:
    """A method of jax-privacy's auditor."""

    def bound(scores: AttackScores, delta: float, _: float) -> float:
        from jax_privacy import auditing

        chosen = {"threshold_strategy": auditing.Bonferroni()} if strategy == "Bonferroni" else {}
        if strategy == "Split":
            chosen = {"threshold_strategy": auditing.Split(threshold_estimation_frac=0.5, seed=0)}
        auditor = auditing.CanaryScoreAuditor(scores.member, scores.nonmember)
        return float(getattr(auditor, method)(1 - LEVEL, delta, **options, **chosen))

    return bound


def gdp_of_head(scores: AttackScores, delta: float, _: float) -> float:
    """Largest Gaussian mu that limits of both rates at a corner of the ROC's hull refute."""
    curve = AttackCurve.from_scores(scores)
    hull, n, m = curve.hull, scores.n_members, scores.n_nonmembers
    each = (1 - LEVEL) / (2 * hull.size)
    fp, fn = curve.false_positives[hull], curve.false_negatives[hull]
    with np.errstate(invalid="ignore"):
        fpr = np.where(fp < m, beta.isf(each, fp + 1, m - fp), 1.0)
        fnr = np.where(fn < n, beta.isf(each, fn + 1, n - fn), 1.0)
    mu = np.max(norm.isf(fpr) - norm.ppf(fnr))
    return theory.GaussianDP(mu=mu).epsilon(delta) if mu > 0 else 0.0


def privacy_estimates(method: str) -> Bound:
    """A method of privacy-estimates at the oracle's threshold."""

    def bound(scores: AttackScores, delta: float, threshold: float) -> float:
        from privacy_estimates import AttackResults, compute_eps_lo

        hits, alarms = (int(np.sum(x >= threshold)) for x in (scores.member, scores.nonmember))
        counts = AttackResults(
            FN=scores.n_members - hits, FP=alarms, TN=scores.n_nonmembers - alarms, TP=hits
        )
        return max(0.0, float(compute_eps_lo(counts, delta, 1 - LEVEL, method)))

    return bound


@dataclass(frozen=True)
class Method:
    """A column of the table."""

    bound: Bound
    package: str
    name: str
    supposes: str  # besides independent records
    fair_coins: bool = False


NOTHING, COINS, KNOWN = "", "fair coins", "the best threshold known beforehand"
JAX, ESTIMATES = "jax-privacy 2.0.0", "privacy-estimates"
METHODS = {
    "rank_exact": Method(own("rank_exact"), "dpviz", "`rank_exact` (the default)", NOTHING),
    "three_paths": Method(other("three_paths"), "benchmarks", "`three_paths`", COINS, True),
    "one_run_curve": Method(own("one_run_curve"), "dpviz", "`one_run_curve`", COINS, True),
    "oracle": Method(own("clopper_pearson"), "", "oracle threshold", KNOWN),
    "CP": Method(
        jax_privacy("epsilon_clopper_pearson", "Bonferroni"), JAX, "`clopper_pearson`", NOTHING
    ),
    "CP two-sided": Method(
        jax_privacy("epsilon_clopper_pearson", "Bonferroni", one_sided=False),
        JAX,
        "`clopper_pearson`, two-sided",
        NOTHING,
    ),
    "CP split": Method(
        jax_privacy("epsilon_clopper_pearson", "Split"), JAX, "`clopper_pearson`, split", NOTHING
    ),
    "one run": Method(jax_privacy("epsilon_one_run", "Bonferroni"), JAX, "`one_run`", COINS, True),
    "one run f-DP": Method(
        jax_privacy("epsilon_one_run_fdp", "Bonferroni"),
        JAX,
        "`one_run_fdp`",
        "fair coins, a Gaussian mechanism",
        True,
    ),
    "GDP": Method(jax_privacy("epsilon_from_gdp", None), JAX, "`from_gdp`", "a Gaussian mechanism"),
    "GDP HEAD": Method(gdp_of_head, "jax-privacy HEAD", "`from_gdp`", "a Gaussian mechanism"),
    "beta": Method(privacy_estimates("beta"), ESTIMATES, "`beta`", KNOWN),
    "Jeffreys": Method(privacy_estimates("jeffreys"), ESTIMATES, "`jeffreys`", KNOWN),
}


def oracle(draw: Sampler, n: int, m: int, delta: float) -> float:
    """The threshold whose expected counts certify most."""
    rng = np.random.default_rng(2)
    member, nonmember = draw(rng, 200_000, True, delta), draw(rng, 200_000, False, delta)
    tried = np.unique(np.quantile(np.concatenate([member, nonmember]), np.linspace(0.001, 1, 400)))

    def certified(threshold: float) -> float:
        return lower_bound_from_counts(
            false_positives=round(m * float(np.mean(nonmember >= threshold))),
            n_nonmembers=m,
            false_negatives=round(n * float(np.mean(member < threshold))),
            n_members=n,
            delta=delta,
            confidence_level=LEVEL,
        ).low

    return float(max(tried, key=certified))


def samples(law: str, n: int, m: int, delta: float, runs: int) -> Iterator[AttackScores]:
    """The data of a cell."""
    draw = LAWS[law][0]
    for run in range(runs):
        rng = np.random.default_rng([run, n, m, list(LAWS).index(law), 31])
        members = int(rng.binomial(n + m, 0.5)) if n == m else n
        yield AttackScores(
            member=draw(rng, members, True, delta),
            nonmember=draw(rng, n + m - members, False, delta),
        )


def measure(cell: Cell, method: str, runs: int) -> list[Any]:
    """A row of the file."""
    law, n, m, delta = cell
    draw, epsilon = LAWS[law]
    threshold, bound = oracle(draw, n, m, delta), METHODS[method].bound
    lows = np.array([bound(scores, delta, threshold) for scores in samples(*cell, runs)])
    truth = None if epsilon is None else epsilon(delta)
    false = None if truth is None else int(np.sum(lows > truth * (1 + 1e-9) + 1e-9))
    return [*cell, method, truth, runs, false, round(float(np.median(lows)), 3)]


def named(row: list[Any]) -> dict[str, Any]:
    """A row of the file, by column."""
    return dict(zip(COLUMNS, row, strict=True))


def worst_rows(rows: list[list[Any]]) -> dict[str, dict[str, Any]]:
    """By method, where it was false most often."""
    counted = [row for row in map(named, rows) if row["false"] is not None]
    return {
        key: max(
            (row for row in counted if row["method"] == key),
            key=lambda row: row["false"] / row["runs"],
        )
        for key in METHODS
    }


def is_false_too_often(worst: dict[str, Any]) -> bool:
    """Beyond chance, at 99.9 % confidence."""
    return clopper_pearson(worst["false"], worst["runs"], confidence_level=0.998)[0] > 1 - LEVEL


def tables(rows: list[list[Any]]) -> list[str]:
    """What each method supposes and how often it was false; the medians, in bold the largest.

    Largest of those that were not false too often.
    """
    lines = ["| method | of | supposes | false at worst | |", "|---|---|---|---|---|"]
    invalid = set()
    for key, worst in worst_rows(rows).items():
        if is_false_too_often(worst):
            invalid.add(key)
        method, share = METHODS[key], f"{worst['false']} of {worst['runs']} ({worst['law']})"
        said = "more often than it says" if key in invalid else ""
        lines.append(f"| {method.name} | {method.package} | {method.supposes} | {share} | {said} |")
    lines += [
        "",
        f"| scores | members + others | δ | {' | '.join(METHODS)} |",
        "|---|---|---|" + "---|" * len(METHODS),
    ]
    for cell in CELLS:
        medians = medians_of(rows, cell)
        valid = max(value for key, value in medians.items() if key not in invalid)
        shown = [
            "-"
            if key not in medians
            else f"**{medians[key]:.2f}**"
            if key not in invalid and 0 < medians[key] == valid
            else f"{medians[key]:.2f}"
            for key in METHODS
        ]
        law, n, m, delta = cell
        lines.append(f"| {law} | {n} + {m} | {delta:g} | {' | '.join(shown)} |")
    return lines


def medians_of(rows: list[list[Any]], cell: Cell) -> dict[str, float]:
    """Of a cell, by method."""
    return {row[4]: row[8] for row in rows if tuple(row[:4]) == cell}


def short_table(rows: list[list[Any]]) -> list[str]:
    """The default beside the best valid method of jax-privacy that finds its threshold."""
    worst = worst_rows(rows)
    others = [
        key
        for key, method in METHODS.items()
        if method.package == JAX and not method.supposes and not is_false_too_often(worst[key])
    ]
    lines = [
        "| scores | dpviz | jax-privacy, Clopper-Pearson | the best threshold, known beforehand |",
        "|---|---|---|---|",
    ]
    for cell in CELLS:
        if cell[1:] == (500, 500, 1e-5) and cell[0] in SHOWN:
            of = medians_of(rows, cell)
            medians = (of["rank_exact"], max(of[key] for key in others), of["oracle"])
            lines.append(f"| {cell[0]} | {' | '.join(f'{each:.2f}' for each in medians)} |")
    return lines


def write_page(file: Path, lines: list[str]) -> None:
    """Replace the tables between the markers."""
    text = file.read_text("utf-8")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    file.write_text("\n".join([before + BEGIN, *lines, END + after]), "utf-8")


def load() -> dict[tuple[Any, ...], list[Any]]:
    """The rows of the file, by cell and method."""
    rows = json.loads(FILE.read_text())["rows"] if FILE.exists() else []
    return {tuple(row[:5]): row for row in rows}


def save(rows: dict[tuple[Any, ...], list[Any]]) -> None:
    """Write the rows, those of a cell together."""
    keys = [(*cell, key) for cell, key in product(CELLS, METHODS)]
    keys += [(*cell, key) for key, cell in HARDEST.items()]
    lines = ",\n".join(json.dumps(rows[key]) for key in keys if key in rows)
    FILE.write_text(f'{{"columns": {json.dumps(COLUMNS)}, "rows": [\n{lines}\n]}}\n')


def main() -> None:
    """Fill the file, cell by cell, and write the page."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--page", action="store_true", help="only write the tables again")
    given = arguments.parse_args()
    rows = load()
    for cell, (key, method) in product(() if given.page else CELLS, METHODS.items()):
        if (*cell, key) in rows or (method.fair_coins and cell[1] != cell[2]):
            continue
        often = cell[0] in OFTEN and cell[3] == 1e-5
        runs = MORE_RUNS if often else RUNS
        row = measure(cell, key, FEW_RUNS if key == "one run f-DP" else runs)
        rows[*cell, key] = row
        print(*row, flush=True)
        save(rows)
    for key, cell in HARDEST.items():
        if (*cell, key) not in rows and not given.page:
            rows[*cell, key] = measure(cell, key, MOST_RUNS)
            save(rows)
    write_page(PAGE, tables([*rows.values()]))
    write_page(README, short_table([*rows.values()]))


if __name__ == "__main__":
    main()
