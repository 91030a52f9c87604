"""Six published variants of the sparse vector technique, of which two are private.

Variants 1 to 6 of Lyu, Su and Li, "Understanding the sparse vector technique for differential
privacy" (2017), figure 1. All claim epsilon 2. The data are the answers to queries of sensitivity
1; the threshold is 0. "above" is returned for an answer above it, None for one below.
"""

from collections.abc import Iterator

import numpy as np

from dpviz.testing.gallery.bug import Bug, Mechanism
from dpviz.testing.gallery.noise import DIGITS

EPSILON = 2.0
Answers = list[float]
Reply = str | float | None


def variant_1(answers: Answers, rng: np.random.Generator, most: int = 1) -> list[Reply]:
    """Private: of Lyu, Su and Li."""
    threshold = rng.laplace(scale=2 / EPSILON)
    return list(_until(most, answers, rng, scale=4 * most / EPSILON, threshold=threshold))


def variant_2(answers: Answers, rng: np.random.Generator, most: int = 1) -> list[Reply]:
    """Private: of Dwork and Roth (2014); the threshold is noisy anew after each "above"."""
    outcomes: list[Reply] = []
    threshold = rng.laplace(scale=2 * most / EPSILON)
    for answer in answers:
        if answer + rng.laplace(scale=4 * most / EPSILON) < threshold:
            outcomes.append(None)
            continue
        outcomes.append("above")
        threshold = rng.laplace(scale=2 * most / EPSILON)
        if outcomes.count("above") == most:
            break
    return outcomes


def variant_3(answers: Answers, rng: np.random.Generator) -> list[Reply]:
    """Not private: of Roth (2011); returns the noisy answer that was compared.

    The answers below the threshold before it are returned as their number.
    """
    threshold = rng.laplace(scale=2 / EPSILON)
    for below, answer in enumerate(answers):
        noisy = answer + rng.laplace(scale=2 / EPSILON)
        if noisy >= threshold:
            return [below, round(noisy, DIGITS)]
    return [len(answers), None]


def variant_4(answers: Answers, rng: np.random.Generator, most: int = 10) -> list[Reply]:
    """Not private: of Lee and Clifton (2014); the noise does not grow with `most`."""
    threshold = rng.laplace(scale=4 / EPSILON)
    return list(_until(most, answers, rng, scale=4 / (3 * EPSILON), threshold=threshold))


def variant_5(answers: Answers, rng: np.random.Generator) -> list[Reply]:
    """Not private: of Stoddard, Chen and Machanavajjhala (2014); the answers have no noise."""
    threshold = rng.laplace(scale=2 / EPSILON)
    return ["above" if answer >= threshold else None for answer in answers]


def variant_6(answers: Answers, rng: np.random.Generator) -> list[Reply]:
    """Not private: of Chen and others (2015); no limit to the number of "above"."""
    threshold = rng.laplace(scale=2 / EPSILON)
    return list(_until(len(answers), answers, rng, scale=2 / EPSILON, threshold=threshold))


def _until(
    most: int, answers: Answers, rng: np.random.Generator, *, scale: float, threshold: float
) -> Iterator[Reply]:
    above = 0
    for answer in answers:
        is_above = answer + rng.laplace(scale=scale) >= threshold
        yield "above" if is_above else None
        above += is_above
        if above == most:
            return


def _bug(title: str, wrong: Mechanism, right: Mechanism, pair: tuple[Answers, Answers]) -> Bug:
    return Bug(
        title=f"Sparse vector: {title}", claim=f"{EPSILON},0", pair=pair, wrong=wrong, right=right
    )


BUGS = {
    "sparse_vector_3": _bug(
        "the noisy answer is returned (Roth, 2011)",
        variant_3,
        variant_1,
        ([-0.5] * 4 + [0.0] * 10, [0.5] * 4 + [-1.0] * 10),
    ),
    "sparse_vector_4": _bug(
        "noise for one answer above the threshold, ten are returned (Lee and Clifton, 2014)",
        variant_4,
        variant_1,
        ([0.0] * 20, [1.0, -1.0] * 10),
    ),
    "sparse_vector_5": _bug(
        "answers without noise (Stoddard and others, 2014)",
        variant_5,
        variant_2,
        ([0.0, 1.0], [1.0, 0.0]),
    ),
    "sparse_vector_6": _bug(
        "no limit to the number of answers above the threshold (Chen and others, 2015)",
        variant_6,
        variant_2,
        ([0.0] * 20, [1.0] * 10 + [-1.0] * 10),
    ),
}
