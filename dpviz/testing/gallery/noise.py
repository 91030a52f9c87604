"""Bugs of one noisy number. All data are lists of numbers; one is replaced, added or removed."""

import numpy as np

from dpviz.testing.gallery.bug import Bug

Data = list[float]
DIGITS = 6  # sums are rounded: the last bits of floats tell on the sum before the noise
GRID = 2.0**-10


def noisy(value: float, scale: float, rng: np.random.Generator) -> float:
    """A number with Laplace noise, rounded."""
    return round(value + float(rng.laplace(scale=scale)), DIGITS)


def noise_clamped(data: Data, rng: np.random.Generator) -> float:
    """Answers that are off by more than 3 look odd, so the noise is limited to them."""
    return round(sum(data) + min(max(rng.laplace(), -3.0), 3.0), DIGITS)


def answer_clamped(data: Data, rng: np.random.Generator) -> float:
    """The answer is limited to what a count can be: that looks at no data."""
    return min(max(noisy(sum(data), 1.0, rng), 0.0), 20.0)


def scale_inverted(data: Data, rng: np.random.Generator) -> float:
    """The scale is epsilon times the sensitivity."""
    return noisy(sum(data), 0.5 * 1, rng)


def scale_right(data: Data, rng: np.random.Generator) -> float:
    """The scale is the sensitivity over epsilon."""
    return noisy(sum(data), 1 / 0.5, rng)


def sensitivity_one(data: Data, rng: np.random.Generator) -> float:
    """Votes are 1 or -1, and one that is replaced is thought to move the sum by 1."""
    return noisy(sum(data), 1.0, rng)


def sensitivity_two(data: Data, rng: np.random.Generator) -> float:
    """A vote that is replaced moves the sum by 2."""
    return noisy(sum(data), 2.0, rng)


def clipped_after(data: Data, rng: np.random.Generator) -> float:
    """The noise suits values in [0, 1], but only the noisy sum is limited."""
    return min(max(noisy(sum(data), 1.0, rng), 0.0), float(len(data)))


def clipped_before(data: Data, rng: np.random.Generator) -> float:
    """Each value is limited to [0, 1] before the sum."""
    return noisy(sum(min(max(value, 0.0), 1.0) for value in data), 1.0, rng)


def floating_point(data: Data, rng: np.random.Generator) -> float:
    """Noise and sum are added as floats: which results are possible depends on the sum."""
    return sum(data) + rng.laplace()


def on_a_grid(data: Data, rng: np.random.Generator) -> float:
    """Both are whole multiples of the grid, noise as the difference of geometric numbers."""
    chance = -np.expm1(-GRID)
    steps = round(sum(data) / GRID) + rng.geometric(chance) - rng.geometric(chance)
    return float(steps * GRID)


BUGS = {
    "clamped_noise": Bug(
        title="Noise is clamped, so that some outputs are possible for one data set only",
        claim="1.0,0",
        pair=([1] * 10, [1] * 11),
        wrong=noise_clamped,
        right=answer_clamped,
    ),
    "inverted_scale": Bug(
        title="Laplace noise with the scale inverted: epsilon instead of 1 / epsilon",
        claim="0.5,0",
        pair=([1] * 10, [1] * 11),
        wrong=scale_inverted,
        right=scale_right,
    ),
    "sensitivity": Bug(
        title="Sensitivity off by a factor of two",
        claim="1.0,0",
        pair=([1, -1, 1], [1, -1, -1]),
        wrong=sensitivity_one,
        right=sensitivity_two,
    ),
    "clipping": Bug(
        title="Values are clipped after the noise, not before",
        claim="1.0,0",
        pair=([0.5] * 5, [0.5] * 4 + [9.0]),
        wrong=clipped_after,
        right=clipped_before,
    ),
    "floating_point": Bug(
        title="Laplace noise added in floating-point arithmetic (Mironov, 2012)",
        claim="1.0,0",
        pair=([1], []),
        wrong=floating_point,
        right=on_a_grid,
    ),
}
