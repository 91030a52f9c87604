"""Binned scores give what the same scores, rounded down, give one by one: every public function."""

import inspect
import math
import typing
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

from dpviz import audit
from dpviz.audit import AttackScores, BinnedScores, bounds
from dpviz.audit.epsilon_star import (
    epsilon_star_on_grid,
    ks_by_components,
    ratio_curves,
    raw_epsilon,
)
from dpviz.audit.scores.base import Scores
from dpviz.theory import ApproximateDP, GaussianDP
from tests.audit.public import PUBLIC

DELTA = 1e-5


def of_laws(
    n: int, m: int, *, shift: float, seed: int, kind: str = "loss"
) -> tuple[BinnedScores, AttackScores]:
    """Losses (or scores) in coarse cells, and the same rounded numbers as records."""
    rng = np.random.default_rng(seed)
    build = AttackScores.from_losses if kind == "loss" else AttackScores
    scores = build(member=rng.gamma(2, 1, n), nonmember=rng.gamma(2, 1, m) + shift)
    counted = BinnedScores.of(scores, bits=13)
    binned = BinnedScores(
        thresholds=counted.thresholds,
        member_counts=counted.member_counts,
        nonmember_counts=counted.nonmember_counts,
        kind=counted.kind,
    )
    return binned, one_by_one(binned)


def one_by_one(binned: BinnedScores) -> AttackScores:
    return AttackScores(
        member=np.repeat(binned.thresholds, binned.member_counts),
        nonmember=np.repeat(binned.thresholds, binned.nonmember_counts),
    ).shown_as(binned.kind)


def without_thresholds_inside(scores: Any) -> Any:
    """The same scores, at the lower edges of their cells."""
    if not isinstance(scores, BinnedScores):
        return scores
    return scores.replaced(member_means=scores.thresholds, nonmember_means=scores.thresholds)


DATA = {
    "leaks": of_laws(400, 380, shift=0.7, seed=1),
    "reversed scores": of_laws(60, 70, shift=1.5, seed=2, kind="score"),
    "separated": of_laws(30, 25, shift=20.0, seed=3),
}
Look = Callable[[Any], Any]
FORMS: dict[str, Any] = {"delta": DELTA, "rng": 3}
EXACT: dict[str, Look] = {
    "AttackCurve.from_scores": audit.AttackCurve.from_scores,
    "advantage": audit.advantage,
    "at_most": lambda s: audit.at_most(without_thresholds_inside(s)),
    "limit_test": lambda s: audit.upper_limits.limit_test(
        without_thresholds_inside(s), accuracy=0.6
    ),
    "auc": audit.auc,
    "auc_difference": lambda s: audit.auc_difference(s, s.reversed()),
    "auc_interval": audit.auc_interval,
    "best_of": lambda s: audit.best_of({"one": s, "other": s.reversed()}, delta=0.01, rng=1),
    "both_sides": lambda s: audit.models.both_sides([s, s.reversed()], delta=DELTA),
    "certified_profile": lambda s: audit.certified_profile(s, deltas=[0.0, 0.01], rng=1),
    "claim_test": lambda s: [
        audit.claim_test(s, claim, rng=1)
        for claim in (ApproximateDP(epsilon=1, delta=1e-5), GaussianDP(mu=1))
    ],
    "curve_test": lambda s: audit.curve_test(s, GaussianDP(mu=0.5), rng=1),
    "epsilon_star": lambda s: [
        audit.epsilon_star(s, delta=DELTA, clip=clip) for clip in (None, 0, "paper", 0.1)
    ],
    "epsilon_star_on_grid": lambda s: epsilon_star_on_grid(s, delta=DELTA),
    "FleetModel.__init__": lambda s: (
        audit.Fleet(
            models=[
                audit.models.FleetModel(name="a", scores=s),
                audit.models.FleetModel(name="b", scores=lambda: s),
            ]
        )
        .estimates(delta=DELTA)
        .estimates
    ),
    "lower_bound": lambda s: [
        audit.lower_bound(s, **FORMS, method=method, threshold=1.5, directions=directions)
        for method in sorted(set(bounds.BOUNDS) - {"e_process"})
        for directions in ("attack", "both")
    ],
    "null_distribution": lambda s: audit.null_distribution(s, **FORMS, n_resamples=100),
    "plan": lambda s: audit.plan(s, epsilon=0.1, delta=0.01, largest=50, power=0.5),
    "raw_epsilon": lambda s: [raw_epsilon(s, delta=DELTA, min_count=least) for least in (1, 10)],
    "smallest": lambda s: audit.smallest("gaussian", s),
    "strongest_evidence": lambda s: [
        audit.evidence.strongest_evidence(s, claim, rng=1)
        for claim in (ApproximateDP(epsilon=1, delta=1e-5), GaussianDP(mu=1))
    ],
    "tpr_at_fpr": lambda s: [
        audit.tpr_at_fpr(s, 0.1, convention=convention) for convention in audit.roc.CONVENTIONS
    ],
    "tpr_difference": lambda s: audit.tpr_difference(s, s.reversed(), 0.1),
    "tpr_interval": lambda s: audit.roc.tpr_interval(s, 0.1),
    "tpr_table": lambda s: audit.tpr_table(s, 0.1),
}
FITTED: dict[str, Look] = {
    "epsilon_star": lambda s: [
        audit.epsilon_star(s, delta=DELTA, method="normal", transform=transform)
        for transform in ("paper", "none")
    ],
    "goodness_of_fit": lambda s: audit.goodness_of_fit(s, rng=5),
    "ks_by_components": lambda s: ks_by_components(s, most=1, held_out=10),
    "ratio_curves": lambda s: [
        ratio_curves(s, delta=DELTA, method=method) for method in ("empirical", "normal")
    ],
}
"""Sums of floats in another order: equal up to rounding."""
IN_LAW: dict[str, Callable[[Any, int], float]] = {
    "auc_interval": lambda s, seed: (
        audit.auc_interval(s, method="bootstrap", n_resamples=40, rng=seed).low
    ),
    "bootstrap": lambda s, seed: audit.bootstrap(s, delta=DELTA, n_resamples=5, rng=seed).low,
    "lower_bound": lambda s, seed: audit.lower_bound(s, delta=0, method="one_run", rng=seed).low,
    "permutation_test": lambda s, seed: float(
        audit.permutation_test(s, delta=DELTA, n_resamples=5, clip=0.05, rng=seed).permuted[2]
    ),
}
"""Randomness is drawn otherwise: equal in the mean over seeds."""
REFUSED: dict[str, Look] = {
    "above_blind": lambda s: audit.blind.above_blind(
        s, audit.blind.blind_baseline(range(100), range(50, 150))
    ),
    "lower_bound": lambda s: audit.lower_bound(s, delta=0.0, method="e_process"),
    "per_user": lambda s: audit.per_user(s, member_users=[], nonmember_users=[]),
    "retraining_audit": lambda s: audit.retraining_audit(
        s, claim=ApproximateDP(epsilon=1, delta=1e-5)
    ),
    "slices": lambda s: audit.slices(s, delta=0.0),
}
OF_BINNED = {"BinnedScores.of", "rounding_gap"}
"""What makes or only takes binned scores."""
RECORDED = {"warnings", "notes"}
"""What says that scores repeat, or are rounded."""


def same(found: Any, expected: Any, *, rtol: float = 0.0) -> None:
    if is_dataclass(expected) and not isinstance(expected, type):
        assert type(found) is type(expected)
        for field in fields(expected):
            if field.name not in RECORDED:
                pair = getattr(found, field.name), getattr(expected, field.name)
                same(*pair, rtol=rtol)
    elif isinstance(expected, np.ndarray | float):
        np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol)
    elif isinstance(expected, list | tuple):
        assert len(found) == len(expected)
        for pair in zip(found, expected, strict=True):
            same(*pair, rtol=rtol)
    elif isinstance(expected, dict):
        assert found.keys() == expected.keys()
        same(list(found.values()), list(expected.values()), rtol=rtol)
    else:
        assert found == expected


@pytest.mark.slow
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("name", EXACT)
def test_counts_answer_as_records_do(name: str, data: str) -> None:
    if name == "plan" and data == "reversed scores":
        pytest.skip("an attack that shows nothing has no plan")
    binned, records = DATA[data]
    # Variances of an AUC are sums in another order.
    rtol = 1e-12 if name in ("auc_interval", "auc_difference") else 0.0
    same(EXACT[name](binned), EXACT[name](records), rtol=rtol)


@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("name", FITTED)
def test_fits_of_counts_are_those_of_records(name: str, data: str) -> None:
    binned, records = DATA[data]
    same(FITTED[name](binned), FITTED[name](records), rtol=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_LAW)
def test_what_is_drawn_has_the_same_law(name: str) -> None:
    drawn = [
        np.array([IN_LAW[name](scores, seed) for seed in range(begin, begin + 150)])
        for begin, scores in ((0, DATA["leaks"][0]), (1000, DATA["leaks"][1]))
    ]
    error = math.hypot(*(np.std(values, ddof=1) / math.sqrt(values.size) for values in drawn))
    assert error > 0
    assert abs(drawn[0].mean() - drawn[1].mean()) < 4 * error


@pytest.mark.parametrize("name", REFUSED)
def test_what_needs_the_records_is_refused(name: str) -> None:
    message = r"scores must be AttackScores for .*, got BinnedScores.*; binned counts"
    with pytest.raises(ValueError, match=message):
        REFUSED[name](DATA["leaks"][0])


def test_no_public_function_of_scores_is_left_out() -> None:
    tables = EXACT.keys() | FITTED.keys() | IN_LAW.keys() | REFUSED.keys() | OF_BINNED
    assert tables == set(functions_of_scores())


def test_every_public_function_of_scores_says_that_it_takes_binned_ones() -> None:
    for name, annotations in functions_of_scores().items():
        assert annotations & {Scores, BinnedScores} or name == "BinnedScores.of"


def functions_of_scores() -> dict[str, set[object]]:
    """Public functions, constructors and class methods that take scores, with what they take."""
    found = {}
    for name, public in PUBLIC.items():
        if inspect.isclass(public):
            callables = {f"{name}.__init__": public.__init__} | {
                f"{name}.{key}": method
                for key, method in inspect.getmembers(public, inspect.ismethod)
                if not key.startswith("_") and key != "of_sorted"
            }
        else:
            callables = {name: public} if inspect.isfunction(public) else {}
        for key, function in callables.items():
            hints = typing.get_type_hints(function)
            hints.pop("return", None)
            types = {part for hint in hints.values() for part in parts(hint)}
            if types & {Scores, AttackScores, BinnedScores}:
                found[key] = types
    return found


def parts(hint: object) -> set[object]:
    inner = typing.get_args(hint)
    nested = [part for part in inner if not isinstance(part, list)]
    return {hint}.union(*(parts(part) for part in nested))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "epsilon"),
    [
        (partial(np.random.Generator.normal, loc=0.0), 0.0),
        (partial(np.random.Generator.laplace, loc=1.0), 1.0),
    ],
    ids=["nothing leaks", "epsilon 1"],
)
def test_bounds_of_binned_scores_cover(law: Callable[..., Any], epsilon: float) -> None:
    """With 80 samples, 12 misses at 0.95 have probability below 0.001."""
    rng = np.random.default_rng(5)
    nonmember = partial(law, loc=0.0)
    misses = {"rank_exact": 0, "clopper_pearson": 0}
    for _ in range(80):
        drawn = AttackScores(member=law(rng, size=100), nonmember=nonmember(rng, size=100))
        binned = BinnedScores.of(drawn, bits=12)
        for method in misses:
            bound = audit.lower_bound(binned, delta=0.0, method=method, threshold=0.5)
            misses[method] += bound.low > epsilon
    assert max(misses.values()) < 12


def test_a_reversed_attack_shows_nothing() -> None:
    binned, _ = DATA["reversed scores"]
    assert audit.lower_bound(binned, delta=0.0).low == 0
    assert audit.lower_bound(binned, delta=0.0, directions="both").direction == "reversed"
    assert "look reversed" in str(binned)
