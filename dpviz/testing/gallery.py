"""A gallery of bugs in private programs, each beside the same program without the bug."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

Mechanism = Callable[[Any, np.random.Generator], Any]


@dataclass(frozen=True, kw_only=True)
class Bug:
    """Two programs with the same claim: one breaks the claim, and the other keeps it.

    Parameters
    ----------
    title : str, what is wrong
    claim : str, of both programs
    pair : tuple of two neighbouring data sets on which the bug shows
    wrong, right : callable of the data and a generator, with the bug and without it

    Examples
    --------
    >>> from dpviz.testing import check_mechanism
    >>> from dpviz.testing.gallery import BUGS
    >>> bug = BUGS["sensitivity"]
    >>> check_mechanism(bug.wrong, [bug.pair], bug.claim).outcome
    'contradicted'
    """

    title: str
    claim: str
    pair: tuple[Any, Any]
    wrong: Mechanism
    right: Mechanism

    @property
    def pairs(self) -> list[tuple[Any, Any]]:
        """The pair of data sets as a list of one pair, which `check_mechanism` takes."""
        return [self.pair]


# Bugs of one noisy number. All data are lists of numbers; one is replaced, added or removed.

Data = list[float]
ROUNDED_DIGITS = 6  # sums are rounded: the last bits of floats tell on the sum before the noise
GRID_STEP = 2.0**-10


def with_laplace_noise(value: float, scale: float, rng: np.random.Generator) -> float:
    """Return `value` plus Laplace noise of scale `scale`, rounded to `ROUNDED_DIGITS` decimals."""
    return round(value + float(rng.laplace(scale=scale)), ROUNDED_DIGITS)


def count_with_clamped_noise(data: Data, rng: np.random.Generator) -> float:
    """Return a count plus noise; the noise itself is clamped to [-3, 3]."""
    return round(sum(data) + min(max(rng.laplace(), -3.0), 3.0), ROUNDED_DIGITS)


def clamped_noisy_count(data: Data, rng: np.random.Generator) -> float:
    """Return a count plus noise; only the noisy count is clamped, to [0, 20]."""
    return min(max(with_laplace_noise(sum(data), 1.0, rng), 0.0), 20.0)


def count_with_inverted_scale(data: Data, rng: np.random.Generator) -> float:
    """Return a count plus noise of scale epsilon instead of 1 / epsilon."""
    return with_laplace_noise(sum(data), 0.5 * 1, rng)


def count_with_right_scale(data: Data, rng: np.random.Generator) -> float:
    """Return a count plus noise of scale 1 / epsilon."""
    return with_laplace_noise(sum(data), 1 / 0.5, rng)


def sum_at_sensitivity_1(data: Data, rng: np.random.Generator) -> float:
    """Return a sum of votes (1 or -1) plus noise for sensitivity 1 instead of 2."""
    return with_laplace_noise(sum(data), 1.0, rng)


def sum_at_sensitivity_2(data: Data, rng: np.random.Generator) -> float:
    """Return a sum of votes (1 or -1) plus noise for sensitivity 2."""
    return with_laplace_noise(sum(data), 2.0, rng)


def sum_clipped_after(data: Data, rng: np.random.Generator) -> float:
    """Return a sum of unclipped values plus noise; only the noisy sum is clipped."""
    return min(max(with_laplace_noise(sum(data), 1.0, rng), 0.0), float(len(data)))


def sum_clipped_before(data: Data, rng: np.random.Generator) -> float:
    """Return a noisy sum of values, each clipped to [0, 1] before the values are added."""
    return with_laplace_noise(sum(min(max(value, 0.0), 1.0) for value in data), 1.0, rng)


def sum_with_float_noise(data: Data, rng: np.random.Generator) -> float:
    """Return a sum plus floating-point noise; the last bits of the result reveal the sum."""
    return sum(data) + rng.laplace()


def sum_with_grid_noise(data: Data, rng: np.random.Generator) -> float:
    """Return a sum rounded to a grid, plus two-sided geometric noise on the same grid."""
    chance = -np.expm1(-GRID_STEP)
    steps = round(sum(data) / GRID_STEP) + rng.geometric(chance) - rng.geometric(chance)
    return float(steps * GRID_STEP)


# Bugs around the noise: where it comes from, what is sampled, how often one answers.

SAMPLING_RATE = 0.2  # at which records are sampled
ANSWERS = 5


def sum_same_seed(data: Data, rng: np.random.Generator) -> float:  # noqa: ARG001 - that is the bug
    """Return a noisy sum; the noise is the same in each call, because the seed is fixed."""
    return with_laplace_noise(sum(data), 1.0, np.random.default_rng(2026))


def sum_with_one_generator(data: Data, rng: np.random.Generator) -> float:
    """Return a noisy sum; each call draws new noise from the generator `rng`."""
    return with_laplace_noise(sum(data), 1.0, rng)


def answers_same_noise(data: Data, rng: np.random.Generator) -> list[float]:
    """Return the sum and the number of records, both plus the same noise."""
    noise = rng.laplace(scale=2.0)
    return [round(sum(data) + noise, ROUNDED_DIGITS), round(len(data) + noise, ROUNDED_DIGITS)]


def answers_own_noise(data: Data, rng: np.random.Generator) -> list[float]:
    """Return the sum and the number of records, each plus its own noise for half of epsilon."""
    return [with_laplace_noise(sum(data), 2.0, rng), with_laplace_noise(len(data), 2.0, rng)]


def sum_of_first_records(data: Data, rng: np.random.Generator) -> float:
    """Return a noisy sum of the first two records instead of a random fifth of all records."""
    return with_laplace_noise(sum(data[:2]), 0.5, rng)


def sum_of_poisson_sample(data: Data, rng: np.random.Generator) -> float:
    """Return a noisy sum of a Poisson sample, with epsilon = log(1 + (e^2 - 1) / 5)."""
    sampled = rng.random(len(data)) < SAMPLING_RATE
    return with_laplace_noise(float(np.dot(data, sampled)), 0.5, rng)


def five_sums_whole_epsilon(data: Data, rng: np.random.Generator) -> list[float]:
    """Return five noisy sums, each with noise for the whole epsilon instead of a fifth."""
    return [with_laplace_noise(sum(data), 1.0, rng) for _ in range(ANSWERS)]


def five_sums_split_epsilon(data: Data, rng: np.random.Generator) -> list[float]:
    """Return five noisy sums, each with noise for a fifth of epsilon."""
    return [with_laplace_noise(sum(data), ANSWERS, rng) for _ in range(ANSWERS)]


# Six published variants of the sparse vector technique, of which two are private.
#
# Variants 1 to 6 of Lyu, Su and Li, "Understanding the sparse vector technique for differential
# privacy" (2017), figure 1. All claim epsilon 2. The data are answers to queries of sensitivity 1.
# "above" is returned for an answer above the threshold 0, None for one below.

EPSILON = 2.0
Answers = list[float]
Reply = str | float | None


def svt_lyu(answers: Answers, rng: np.random.Generator, limit: int = 1) -> list[Reply]:
    """Return the replies of the sparse vector technique of Lyu, Su and Li (2017)."""
    threshold = rng.laplace(scale=2 / EPSILON)
    return list(_replies_until(limit, answers, rng, scale=4 * limit / EPSILON, threshold=threshold))


def svt_dwork(answers: Answers, rng: np.random.Generator, limit: int = 1) -> list[Reply]:
    """Return the replies of the sparse vector technique of Dwork and Roth (2014)."""
    # The threshold gets new noise after each "above".
    outcomes: list[Reply] = []
    threshold = rng.laplace(scale=2 * limit / EPSILON)
    for answer in answers:
        if answer + rng.laplace(scale=4 * limit / EPSILON) < threshold:
            outcomes.append(None)
            continue
        outcomes.append("above")
        threshold = rng.laplace(scale=2 * limit / EPSILON)
        if outcomes.count("above") == limit:
            break
    return outcomes


def svt_noisy_answer(answers: Answers, rng: np.random.Generator) -> list[Reply]:
    """Return the index and the noisy value of the first answer above the threshold."""
    # The bug: the noisy answer that was compared is returned, after the number of answers below.
    threshold = rng.laplace(scale=2 / EPSILON)
    for below, answer in enumerate(answers):
        noisy = answer + rng.laplace(scale=2 / EPSILON)
        if noisy >= threshold:
            return [below, round(noisy, ROUNDED_DIGITS)]
    return [len(answers), None]


def svt_low_noise(answers: Answers, rng: np.random.Generator, limit: int = 10) -> list[Reply]:
    """Return the replies of a sparse vector technique whose noise does not grow with `limit`."""
    threshold = rng.laplace(scale=4 / EPSILON)
    return list(_replies_until(limit, answers, rng, scale=4 / (3 * EPSILON), threshold=threshold))


def svt_bare_answers(answers: Answers, rng: np.random.Generator) -> list[Reply]:
    """Return the replies of a sparse vector technique with noise on the threshold only."""
    threshold = rng.laplace(scale=2 / EPSILON)
    return ["above" if answer >= threshold else None for answer in answers]


def svt_no_limit(answers: Answers, rng: np.random.Generator) -> list[Reply]:
    """Return the replies of a sparse vector technique that allows any number of "above" replies."""
    threshold = rng.laplace(scale=2 / EPSILON)
    return list(_replies_until(len(answers), answers, rng, scale=2 / EPSILON, threshold=threshold))


def _replies_until(
    most_above: int, answers: Answers, rng: np.random.Generator, *, scale: float, threshold: float
) -> Iterator[Reply]:
    above = 0
    for answer in answers:
        is_above = answer + rng.laplace(scale=scale) >= threshold
        yield "above" if is_above else None
        above += is_above
        if above == most_above:
            return


# All bugs of the gallery, by name: titles; claims, pairs, programs with the bug and without it.
TITLES = {
    "clamped_noise": "Noise is clamped, so that some outputs are possible for one data set only",
    "inverted_scale": "Laplace noise with the scale inverted: epsilon instead of 1 / epsilon",
    "sensitivity": "Sensitivity off by a factor of two",
    "clipping": "Values are clipped after the noise, not before",
    "floating_point": "Laplace noise added in floating-point arithmetic (Mironov, 2012)",
    "seed": "The same seed for each answer: an attacker can know the noise",
    "noise_reused": "The same noise for two answers",
    "sampling": "Amplification by sampling is claimed, but the sample is not random",
    "composition": "Five answers, each with the whole budget",
    "sparse_vector_3": "Sparse vector: the answer reuses the comparison's noise (Roth, 2011)",
    "sparse_vector_4": (
        "Sparse vector: noise does not grow with the number of answers above the threshold "
        "(Lee and Clifton, 2014)"
    ),
    "sparse_vector_5": "Sparse vector: no noise on the answers (Stoddard and others, 2014)",
    "sparse_vector_6": (
        "Sparse vector: no limit to the number of answers above the threshold "
        "(Chen and others, 2015)"
    ),
}
COUNT_PAIR = [1] * 10, [1] * 11
SAMPLED = f"{np.log1p(SAMPLING_RATE * np.expm1(2.0)):.17g},0"
SPARSE, LATE = f"{EPSILON},0", ([-0.5] * 4 + [0.0] * 10, [0.5] * 4 + [-1.0] * 10)
PROGRAMS: dict[str, tuple[str, tuple[Any, Any], Mechanism, Mechanism]] = {
    "clamped_noise": ("1.0,0", COUNT_PAIR, count_with_clamped_noise, clamped_noisy_count),
    "inverted_scale": ("0.5,0", COUNT_PAIR, count_with_inverted_scale, count_with_right_scale),
    "sensitivity": ("1.0,0", ([1, -1, 1], [1, -1, -1]), sum_at_sensitivity_1, sum_at_sensitivity_2),
    "clipping": ("1.0,0", ([0.5] * 5, [0.5] * 4 + [9.0]), sum_clipped_after, sum_clipped_before),
    "floating_point": ("1.0,0", ([1], []), sum_with_float_noise, sum_with_grid_noise),
    "seed": ("1.0,0", COUNT_PAIR, sum_same_seed, sum_with_one_generator),
    "noise_reused": ("1.0,0", ([1] * 10, [1] * 9 + [0]), answers_same_noise, answers_own_noise),
    "sampling": (SAMPLED, ([1] + [0] * 9, [0] * 9), sum_of_first_records, sum_of_poisson_sample),
    "composition": ("1.0,0", COUNT_PAIR, five_sums_whole_epsilon, five_sums_split_epsilon),
    "sparse_vector_3": (SPARSE, LATE, svt_noisy_answer, svt_lyu),
    "sparse_vector_4": (SPARSE, ([0.0] * 20, [1.0, -1.0] * 10), svt_low_noise, svt_lyu),
    "sparse_vector_5": (SPARSE, ([0.0, 1.0], [1.0, 0.0]), svt_bare_answers, svt_dwork),
    "sparse_vector_6": (SPARSE, ([0.0] * 20, [1.0] * 10 + [-1.0] * 10), svt_no_limit, svt_dwork),
}
BUGS = {
    name: Bug(title=TITLES[name], claim=claim, pair=pair, wrong=wrong, right=right)
    for name, (claim, pair, wrong, right) in PROGRAMS.items()
}
__all__ = ["BUGS", "Bug"]
