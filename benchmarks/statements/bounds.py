"""Lower bounds on epsilon, and what published numbers certify of it."""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.methods import OTHERS
from benchmarks.statements.settings import (
    EPSILON,
    LEVELS,
    SETTINGS,
    THRESHOLD,
    Setting,
)
from benchmarks.statements.statement import Draw, Statement, by_number, directly
from dpviz import audit
from dpviz.audit import AttackScores
from dpviz.audit.bounds.certified_profile import profile_rank_test
from dpviz.audit.bounds.rank import DefaultRankTest, RankTest
from dpviz.audit.bounds.result import BoundRequest
from dpviz.audit.evidence.plan import rank_statistics

DELTAS = (0.0, 1e-5, 1e-3, 0.01, 0.1)  # of a profile
FPR, DEPTH = 0.1, 20  # of a published TPR, and of a published precision
ATTACKS = 3
PUBLISHED = (
    Setting(),
    Setting("ties"),
    Setting(n=20, m=2000),
    Setting(n=2000, m=20),
    Setting(delta=0.01),
    Setting("ties", delta=0.1),
)


def statements() -> Iterator[Statement]:
    """All of them, the quick ones first."""
    yield from exact_bounds()
    yield from certificates()
    yield from profiles()
    for setting in SETTINGS:
        yield bound("split", setting, LEVELS if setting == SETTINGS[0] else (0.95,))
    yield bound("three_paths", Setting(delta=0.01), (0.95,), fair_coins=True)
    yield bound("three_paths", Setting("ties"), (0.95,), fair_coins=True)


def exceeds(found: float, truth: float = EPSILON) -> bool:
    """Whether a bound is false."""
    return found > truth * (1 + 1e-9)


def bound(
    method: str, setting: Setting, levels: tuple[float, ...], *, fair_coins: bool = False
) -> Statement:
    """A method that is no method of `lower_bound`."""

    def draw(run: int) -> AttackScores:
        return setting.draw(np.random.default_rng([run, 1]), fair_coins=fair_coins)

    def is_false(scores: AttackScores, level: float, seed: int) -> bool:
        request = BoundRequest(
            delta=setting.delta, confidence_level=level, threshold=THRESHOLD, seed=seed
        )
        return exceeds(OTHERS[method].rule(scores, request).low)

    return directly(f"other method, {method}", setting, levels, draw, is_false)


def as_drawn(setting: Setting) -> Draw:
    """Data sets with their ties."""
    return lambda run: setting.draw(np.random.default_rng([run, 3]))


def ranked(setting: Setting, *, members_last: bool = False) -> Draw:
    """Data sets whose ties are broken beforehand, at random or against the members."""

    def draw(run: int) -> AttackScores:
        rng = np.random.default_rng([run, 2])
        scores = setting.draw(rng)
        both = np.concatenate([scores.member, scores.nonmember])
        ranks = np.empty(both.size)
        ties = np.arange(both.size) >= setting.n if members_last else rng.random(both.size)
        ranks[np.lexsort((ties, both))] = np.arange(both.size)
        return AttackScores(member=ranks[: setting.n], nonmember=ranks[setting.n :])

    return draw


def statistics_of(
    test: RankTest, setting: Setting
) -> Callable[[Iterator[AttackScores]], np.ndarray]:
    """The numbers on which a rank bound depends, of data sets whose scores are their ranks."""
    from_cut = setting.n + setting.m - test.guesses.cuts

    def numbers(some: Iterator[AttackScores]) -> np.ndarray:
        members = np.array([(each.member[:, None] >= from_cut).sum(axis=0) for each in some])
        return rank_statistics(test, test.guesses.count_right(members.T))

    return numbers


def dense(setting: Setting, level: float) -> DefaultRankTest:
    """The test of method "rank_exact"."""
    return DefaultRankTest(setting.n, setting.m, delta=setting.delta, level=level)


def exact_bounds() -> Iterator[Statement]:
    """Method "rank_exact", of one attack and of the best of several."""
    for setting in SETTINGS:
        for level in LEVELS if setting == SETTINGS[0] else (0.95,):

            def is_false(
                scores: AttackScores, setting: Setting = setting, level: float = level
            ) -> bool:
                given = {"delta": setting.delta, "confidence_level": level}
                return exceeds(audit.lower_bound(scores, method="rank_exact", **given).low)

            name, test = "lower_bound, rank_exact", dense(setting, 1 - level)
            numbers = statistics_of(test, setting)
            draw = ranked(setting, members_last=True)
            yield by_number(name, setting, level, draw, numbers, is_false)
    yield best_of(Setting(), 0.95)


def best_of(setting: Setting, level: float) -> Statement:
    """Several attacks, independent of each other: then the union bound is nearly sharp."""
    numbers = statistics_of(dense(setting, (1 - level) / ATTACKS), setting)
    draw = ranked(setting)

    def draw_best(run: int) -> AttackScores:
        attacks = [draw(ATTACKS * run + i) for i in range(ATTACKS)]
        return attacks[int(np.argmax(numbers(iter(attacks))))]

    def is_false(scores: AttackScores) -> bool:
        # The other attacks show less: their scores do not matter.
        attacks = {str(i): scores if i == 0 else scores.reversed() for i in range(ATTACKS)}
        given = {"delta": setting.delta, "confidence_level": level, "method": "rank_exact"}
        return exceeds(audit.best_of(attacks, **given).low)

    return by_number("best_of, rank_exact", setting, level, draw_best, numbers, is_false)


def profiles() -> Iterator[Statement]:
    """`certified_profile`: false if it is at any delta."""
    for setting in (
        Setting(),
        Setting(delta=0.01),
        Setting("laplace"),
        Setting("gaussian", 20, 2000),
    ):
        truths = np.array([setting.truth.epsilon(delta) for delta in DELTAS])
        for level in LEVELS if setting == SETTINGS[0] else (0.95,):

            def is_false(
                scores: AttackScores, truths: np.ndarray = truths, level: float = level
            ) -> bool:
                found = audit.certified_profile(scores, deltas=DELTAS, confidence_level=level)
                return bool(np.any(found.epsilons > truths * (1 + 1e-9)))

            test = profile_rank_test(setting.n, setting.m, 1 - level)
            numbers = statistics_of(test, setting)
            draw = ranked(setting)
            yield by_number("certified_profile", setting, level, draw, numbers, is_false)


# Published numbers, as they are computed from scores ----------------------------------------------


def best_accuracy(scores: AttackScores) -> float:
    """Of the best threshold on these records."""
    curve = audit.AttackCurve.from_scores(scores)
    right = curve.true_positives + curve.n_nonmembers - curve.false_positives
    return float(right.max() / (curve.n_members + curve.n_nonmembers))


def best_advantage(scores: AttackScores) -> float:
    """Of the best threshold on these records."""
    at = audit.AttackCurve.from_scores(scores).best_advantage()
    return at.tpr - at.fpr


def tpr(scores: AttackScores, fpr: float = FPR) -> float:
    """At the last threshold whose FPR is no larger."""
    return audit.AttackCurve.from_scores(scores).at_fpr(fpr).tpr


def precision(scores: AttackScores, k: int = DEPTH) -> float:
    """Share of members among the first records; there are no ties."""
    first = np.sort(np.concatenate([scores.member, scores.nonmember]))[-k:]
    return float(np.isin(first, scores.member).mean())


def printed(scores: AttackScores) -> float:
    """The area under the curve to two decimals."""
    return float(f"{audit.auc(scores):.2f}")


NUMBERS: dict[str, tuple[Callable[[AttackScores], float], dict[str, object]]] = {
    "auc": (audit.auc, {}),
    "auc, printed": (printed, {}),
    "advantage": (best_advantage, {}),
    "accuracy": (best_accuracy, {}),
    "tpr": (tpr, {"fpr": FPR}),
    "precision": (precision, {"k": DEPTH}),
}


def of_each(
    number: Callable[[AttackScores], float],
) -> Callable[[Iterator[AttackScores]], np.ndarray]:
    """The numbers of several data sets."""
    return lambda some: np.array([number(each) for each in some])


def certificates() -> Iterator[Statement]:
    """`certify`, of each number."""
    for name, (number, others) in NUMBERS.items():
        for setting in PUBLISHED:
            if name.startswith("auc") and setting.delta > 0:
                setting = Setting(n=20, m=20, delta=setting.delta)  # larger ones take long
            draw = ranked(setting) if name == "precision" else as_drawn(setting)
            for level in LEVELS if setting == PUBLISHED[0] else (0.95,):

                def is_false(
                    scores: AttackScores,
                    setting: Setting = setting,
                    level: float = level,
                    name: str = name,
                    number: Callable[[AttackScores], float] = number,
                    others: dict[str, object] = others,
                ) -> bool:
                    value: object = number(scores)
                    if name == "auc, printed":
                        value = f"{value:.2f}"
                    found = audit.certify(
                        **{name.split(",")[0]: value},
                        **others,
                        n_members=setting.n,
                        n_nonmembers=setting.m,
                        delta=setting.delta,
                        confidence_level=level,
                    )
                    return exceeds(found.low)

                yield by_number(f"certify, {name}", setting, level, draw, of_each(number), is_false)
