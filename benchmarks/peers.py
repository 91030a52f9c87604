"""Lower bounds of other libraries and dpviz on the same data, in one run.

In an environment of its own, with dpviz, tqdm, jax-privacy 2.0.0, privacy-estimates 0.1.0.post1 and
opake-auditing 0.16.1 (measured with Python 3.11, NumPy 2.4.6, SciPy 1.17.1)::

    pip install jax-privacy==2.0.0 privacy-estimates opake-auditing==0.16.1 tqdm
    python -m benchmarks.peers                     # what peers.json does not have: an hour for all
    python -m benchmarks.peers --again rank_exact  # measures this method again
    python -m benchmarks.peers --page              # only writes the tables again

All bounds are at confidence 0.95. Where the classes are equal, records are members by fair coins,
as audits of one training run suppose. Some methods are given a threshold that is the best for as
many records: privacy-estimates, which takes counts, the one with most from exact limits of both
rates; the binomial test, which no library has, the one with the largest median. jax-privacy's
development version differs from 2.0.0 in `epsilon_from_gdp`: its formula, without the absolute
value, is computed here. A row of peers.json is a cell (some have more runs than below). The tables
in docs/appendix/peers.md and in the README are written from it, and from limit.json.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.special import betaincinv, logit
from scipy.stats import beta, norm

from benchmarks import limit
from benchmarks.coverage import Sampler, responses, shifted
from benchmarks.methods import OTHERS
from benchmarks.pages import APPENDIX, README, write_table
from dpviz import theory
from dpviz.audit import AttackCurve, AttackScores, lower_bound, lower_bound_from_counts
from dpviz.audit.bounds.result import BoundRequest
from dpviz.audit.roc.intervals import clopper_pearson
from dpviz.checks import FloatArray

LEVEL, FEW_RUNS, RUNS, MORE_RUNS, MOST_RUNS = 0.95, 60, 200, 1000, 10_000
THRESHOLDS, TRIALS = 200, 200  # that are tried for the best one, and data sets for each
FILE, PAGE = Path(__file__).with_suffix(".json"), APPENDIX / "peers.md"
COLUMNS = ("law", "members", "nonmembers", "delta", "method", "truth", "runs", "false", "median")
Cell = tuple[str, int, int, float]  # law, members, non-members, delta
Bound = Callable[[AttackScores, float, float], float]  # of scores, delta, a given threshold
Threshold = Callable[[Sampler, int, int, float], float]  # of a law, both numbers of records, delta


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
SLOW = {"one run f-DP": 20, "CP 100 splits": FEW_RUNS, "one run 100 splits": FEW_RUNS}  # runs


def own(method: str) -> Bound:
    """A method of dpviz."""
    return lambda scores, delta, _: lower_bound(scores, delta=delta, method=method).low


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

        seed = {} if strategy == "Bonferroni" else {"seed": 0}
        chosen = {"threshold_strategy": getattr(auditing, strategy)(**seed)} if strategy else {}
        auditor = auditing.CanaryScoreAuditor(scores.member, scores.nonmember)
        return float(getattr(auditor, method)(1 - LEVEL, delta, **options, **chosen))

    return bound


def opake(scores: AttackScores, delta: float, _: float) -> float:
    """The bound of opake-auditing that supposes no mechanism."""
    from opake.auditing import one_run

    coins = SimpleNamespace(
        split_scores=lambda _: (scores.member, scores.nonmember), canary_indices=None
    )
    return float(one_run(scores, coin_flip=coins).eps_delta().epsilon_at(delta=delta))


def gdp_of_head(scores: AttackScores, delta: float, _: float) -> float:
    """Largest Gaussian mu that limits of both rates at a corner of the ROC's hull refute."""
    curve = AttackCurve.from_scores(scores)
    hull, n, m = curve.hull_indices, scores.n_members, scores.n_nonmembers
    each = (1 - LEVEL) / (2 * hull.size)
    fp, fn = curve.false_positives[hull], curve.false_negatives[hull]
    with np.errstate(invalid="ignore"):
        fpr = np.where(fp < m, beta.isf(each, fp + 1, m - fp), 1.0)
        fnr = np.where(fn < n, beta.isf(each, fn + 1, n - fn), 1.0)
    mu = np.max(norm.isf(fpr) - norm.ppf(fnr))
    return theory.GaussianDP(mu=mu).epsilon(delta) if mu > 0 else 0.0


def refuted_by_flagged(members: Any, flagged: Any, records: int, delta: float) -> FloatArray:
    """Largest epsilons that a one-sided binomial test of the flagged records refutes.

    Records are members by fair coins, scores are independent, the threshold is fixed beforehand.
    Let ``q = e^epsilon / (1 + e^epsilon)``. At delta = 0 a flagged record is a member with
    probability at most q, so the tail ``T(v, k) = P(Bin(k, q) >= v)`` of v members among k flagged
    is a p-value. Delta adds flagged members: L of them, each record with probability at most
    delta / 2. As ``T(v + 1, k + 1) >= q T(v, k)``, the tail of all is at most g only if that of the
    others is at most ``g q^-L``, so with at most this probability given L. The mean over L is at
    most ``g (1 + delta e^-epsilon / 2)^records``: this factor divides the level. A larger epsilon
    has a larger level and a larger limit, so iteration from 0 rises to the first that is not
    refuted.
    """
    epsilon = np.zeros(np.shape(members))
    for _ in range(30):
        level = (1 - LEVEL) * (1 + delta * np.exp(-epsilon) / 2) ** -float(records)
        epsilon = np.maximum(
            np.where(members, logit(betaincinv(members, flagged - members + 1, level)), 0.0), 0.0
        )
    return epsilon


def flagged(scores: AttackScores, delta: float, threshold: float) -> float:
    """The bound of the binomial test of the records that a threshold flags."""
    hits, alarms = (np.sum(x >= threshold) for x in (scores.member, scores.nonmember))
    records = scores.n_members + scores.n_nonmembers
    return float(refuted_by_flagged(hits, hits + alarms, records, delta))


def best_of_flagged(draw: Sampler, n: int, m: int, delta: float) -> float:
    """The threshold at which this bound has the largest median."""
    rng = np.random.default_rng(5)
    member = draw(rng, 200_000, True, delta)
    tried = np.linspace(np.quantile(member, 0.01), np.quantile(member, 0.999), THRESHOLDS)
    counts = np.empty((2, TRIALS, THRESHOLDS), int)
    for trial, members in enumerate(rng.binomial(n + m, 0.5, TRIALS)):
        for count, size, is_member in zip(
            counts, (members, n + m - members), (True, False), strict=True
        ):
            scores = np.sort(draw(rng, size, is_member, delta))
            count[trial] = size - np.searchsorted(scores, tried)
    lows = refuted_by_flagged(counts[0], counts.sum(axis=0), n + m, delta)
    return float(tried[np.argmax(np.median(lows, axis=0))])


def privacy_estimates(method: str) -> Bound:
    """A method of privacy-estimates at a given threshold."""

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
    supposes: str
    threshold: Threshold | None = None  # that is fixed beforehand

    @property
    def requires_fair_coins(self) -> bool:
        """Whether records must be members by fair coins."""
        return COINS in self.supposes


def best_of_limits(draw: Sampler, n: int, m: int, delta: float) -> float:
    """The threshold whose expected counts certify most, by exact limits of both rates."""
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


INDEPENDENT, COINS, GAUSSIAN = "independent scores", "fair coins", "a Gaussian mechanism"
KNOWN = f"{INDEPENDENT}, the best threshold known"
JAX, ESTIMATES = "jax-privacy 2.0.0", "privacy-estimates"


def jax_methods() -> dict[str, Method]:
    """Both tests of jax-privacy, with each way to choose a threshold."""
    tests = {"CP": ("clopper_pearson", INDEPENDENT), "one run": ("one_run", COINS)}
    found = {}
    for key, (name, supposes) in tests.items():
        for added, strategy in (
            ("", "Bonferroni"),
            ("split", "Split"),
            ("100 splits", "MultiSplit"),
        ):
            bound = jax_privacy(f"epsilon_{name}", strategy)
            title = f"`{name}`, {added}" if added else f"`{name}`"
            found[f"{key} {added}".strip()] = Method(bound, JAX, title, supposes)
    return found


METHODS = {
    "rank_exact": Method(own("rank_exact"), "dpviz", "`rank_exact` (the default)", INDEPENDENT),
    "three_paths": Method(
        other("three_paths"), "benchmarks", "`three_paths`", f"{COINS}, {INDEPENDENT} at δ > 0"
    ),
    "one_run_curve": Method(own("one_run_curve"), "dpviz", "`one_run_curve`", COINS),
    "flagged": Method(flagged, "", "binomial test", f"{COINS}, {KNOWN}", best_of_flagged),
    **jax_methods(),
    "CP two-sided": Method(
        jax_privacy("epsilon_clopper_pearson", "Bonferroni", one_sided=False),
        JAX,
        "`clopper_pearson`, two-sided",
        INDEPENDENT,
    ),
    "one run f-DP": Method(
        jax_privacy("epsilon_one_run_fdp", "Bonferroni"),
        JAX,
        "`one_run_fdp`",
        f"{COINS}, {GAUSSIAN}",
    ),
    "GDP": Method(
        jax_privacy("epsilon_from_gdp", None), JAX, "`from_gdp`", f"{INDEPENDENT}, {GAUSSIAN}"
    ),
    "GDP HEAD": Method(gdp_of_head, "jax-privacy HEAD", "`from_gdp`", f"{INDEPENDENT}, {GAUSSIAN}"),
    "beta": Method(privacy_estimates("beta"), ESTIMATES, "`beta`", KNOWN, best_of_limits),
    "Jeffreys": Method(
        privacy_estimates("jeffreys"), ESTIMATES, "`jeffreys`", KNOWN, best_of_limits
    ),
    "opake": Method(opake, "opake-auditing 0.16.1", "`eps_delta`", COINS),
}


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


def runs_of(cell: Cell, method: str) -> int:
    """How often a cell is measured at least: exact p-values of a large delta are slow."""
    usual = MORE_RUNS if cell[0] in OFTEN else RUNS
    return SLOW.get(method, usual if cell[3] == CELLS[0][3] else FEW_RUNS)


def measure(cell: Cell, method: str, runs: int) -> list[Any]:
    """A row of the file."""
    law, n, m, delta = cell
    (draw, epsilon), of = LAWS[law], METHODS[method]
    threshold = of.threshold(draw, n, m, delta) if of.threshold else np.nan
    lows = np.array([of.bound(scores, delta, threshold) for scores in samples(*cell, runs)])
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
    lines = ["| method | of | assumes | false at worst | |", "|---|---|---|---|---|"]
    invalid = set()
    for key, worst in worst_rows(rows).items():
        if is_false_too_often(worst):
            invalid.add(key)
        method, share = METHODS[key], f"{worst['false']} of {worst['runs']} ({worst['law']})"
        said = "exceeds 5 %" if key in invalid else ""
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
    """The default, jax-privacy's best valid bound, that of a known threshold, the limit of all."""
    worst, limits = worst_rows(rows), limit.load()
    others = [
        key
        for key, method in METHODS.items()
        if method.package == JAX
        and GAUSSIAN not in method.supposes
        and not is_false_too_often(worst[key])
    ]
    lines = [
        "| scores | dpviz | jax-privacy | threshold known beforehand | no valid method more than "
        "| dpviz' share of it |",
        "|---|---|---|---|---|---|",
    ]
    for law in SHOWN:
        cell = (law, 500, 500)
        of = medians_of(rows, (*cell, 1e-5))
        medians = (of["rank_exact"], max(of[key] for key in others), of["flagged"])
        most, median, *_ = limits[cell]
        shown = [*(f"{x:.2f}" for x in medians), limit.rounded_up(most), f"{median / most:.2f}"]
        lines.append(f"| {law} | {' | '.join(shown)} |")
    return lines


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
    arguments.add_argument("--again", nargs="*", default=[], choices=list(METHODS))
    given = arguments.parse_args()
    rows = {key: row for key, row in load().items() if key[4] not in given.again}
    for cell, (key, method) in product(() if given.page else CELLS, METHODS.items()):
        runs = runs_of(cell, key)
        is_known = (*cell, key) in rows and rows[*cell, key][6] >= runs
        if is_known or (method.requires_fair_coins and cell[1] != cell[2]):
            continue
        row = measure(cell, key, runs)
        rows[*cell, key] = row
        print(*row, flush=True)
        save(rows)
    for key, cell in HARDEST.items():
        if (*cell, key) not in rows and not given.page:
            rows[*cell, key] = measure(cell, key, MOST_RUNS)
            save(rows)
    write_table(PAGE, "peers", tables([*rows.values()]))
    write_table(README, "peers", short_table([*rows.values()]))


if __name__ == "__main__":
    main()
