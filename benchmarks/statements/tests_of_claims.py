"""Tests of claims: of a whole curve, of a family, while records arrive, and under permutations."""

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.statements.settings import BATCH, EPSILON, LEVELS, MU, Setting, arrivals
from benchmarks.statements.statement import Statement, by_p_value, directly
from dpviz import audit
from dpviz.audit import AttackScores

CHECKPOINTS = 5
PERMUTATIONS = 199
COARSE = (0.8, 0.95, 0.99)  # confidences that simulated p-values can reach


def statements() -> Iterator[Statement]:
    """All of them, the quick ones first."""
    for dependence in ("batched", "coupled", "independent"):
        for setting in (Setting(), Setting(delta=0.01), Setting(delta=0.1), Setting("ties")):
            name = f"Stream, {dependence}"
            yield by_p_value(name, setting, LEVELS, stream(dependence, setting))
    for planned in (CHECKPOINTS, None):
        name, setting = f"Checkpoints, planned = {planned}", Setting(delta=0.01)
        yield by_p_value(name, setting, LEVELS, checkpoints(planned, setting))
    null = Setting("null")
    yield by_p_value("null_distribution", null, COARSE, permuted(null))
    for family, truth in (("gaussian", MU), ("laplace", EPSILON)):
        yield smallest(family, truth)
    yield smallest_between("gaussian", MU)
    for setting in (
        Setting("gaussian"),
        Setting("laplace", 20, 2000),
        Setting("laplace", 2000, 20),
        Setting("discrete laplace"),
        Setting(delta=0.01),
        Setting("ties", delta=0.1),
    ):
        yield by_p_value("curve_test", setting, COARSE, curve(setting))


def stream(dependence: str, setting: Setting) -> Callable[[int], float]:
    """The smallest p-value of all looks: after each pair in one setting, else a batch."""
    step = 1 if dependence == "independent" and setting == Setting() else BATCH

    def p_value(run: int) -> float:
        records = arrivals(np.random.default_rng([run, 4]), dependence, setting)
        found = audit.Stream(setting.truth, dependence=dependence)
        for begin in range(0, setting.n, step):
            some = records[begin : begin + step]
            found.update(member=some[:, 0], nonmember=some[:, 1])
        return found.p_value

    return p_value


def checkpoints(planned: int | None, setting: Setting) -> Callable[[int], float]:
    """Each keeps the scores of the one before with probability 1/2."""

    def p_value(run: int) -> float:
        rng = np.random.default_rng([run, 5])
        records = arrivals(rng, "independent", setting)
        found = audit.evidence.Checkpoints(setting.truth, planned=planned)
        for checkpoint in range(CHECKPOINTS):
            fresh = arrivals(rng, "independent", setting)
            records = np.where(rng.random(records.shape) < 0.5, records, fresh)
            for some in np.split(records, CHECKPOINTS):
                found.update(str(checkpoint), member=some[:, 0], nonmember=some[:, 1])
        return found.p_value

    return p_value


def permuted(setting: Setting) -> Callable[[int], float]:
    """Of the advantage, where nothing leaks."""

    def p_value(run: int) -> float:
        scores = setting.draw(np.random.default_rng([run, 6]))
        found = audit.null_distribution(scores, delta=0.0, n_resamples=PERMUTATIONS, rng=run)
        return found.p_value("advantage")

    return p_value


def curve(setting: Setting) -> Callable[[int], float]:
    """Of the guarantee that exactly allows what the attack reaches.

    The p-value is one for every level. The level that the test is told is how much it simulates.
    """
    truth = setting.truth

    def p_value(run: int) -> float:
        scores = setting.draw(np.random.default_rng([run, 7]))
        return audit.curve_test(scores, truth, confidence_level=0.8, rng=run).p_value

    return p_value


def smallest(family: str, truth: float) -> Statement:
    """For a list of one parameter just above the true one: refuting it is false."""
    setting = Setting(family)

    def p_value(run: int) -> float:
        scores = setting.draw(np.random.default_rng([run, 8]))
        given = {"parameters": [truth * (1 + 1e-9)], "confidence_level": 0.8, "rng": run}
        return float(audit.smallest(family, scores, **given).p_values[0])

    return by_p_value(f"smallest, {family}", setting, COARSE, p_value)


def smallest_between(family: str, truth: float) -> Statement:
    """Its two ends, of a list with parameters just below and just above the true one."""
    setting, parameters = Setting(family), [truth * (1 - 1e-9), truth * (1 + 1e-9)]

    def is_false(scores: AttackScores, level: float, seed: int) -> bool:
        given = {"parameters": parameters, "confidence_level": level, "rng": seed}
        low, high = audit.smallest(family, scores, **given).between
        return not low < truth < high

    return directly(
        f"smallest, {family}, between",
        setting,
        (0.8,),
        lambda run: setting.draw(np.random.default_rng([run, 8])),
        is_false,
    )
