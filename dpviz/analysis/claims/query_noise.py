"""`QueryNoise`: from the noise and the sensitivity of a query to its guarantee."""

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from dpviz import checks
from dpviz.number_format import short
from dpviz.theory import GaussianDP, GaussianMechanism, LaplaceMechanism, TradeoffFunction
from dpviz.theory.calibration import NORMS, Norm, convert_sensitivity

NORM_NAMES = {"l1": "L1", "l2": "L2", "linf": "L∞"}
# The norm that matters for each kind of noise.
NOISE_BY_NORM: dict[str, type[TradeoffFunction]] = {"l1": LaplaceMechanism, "l2": GaussianDP}
# The factor of a sensitivity from one norm to another.
NORM_FACTORS = {("l2", "l1"): "√d", ("linf", "l1"): "d", ("linf", "l2"): "√d"}


def noise_norm(claim: TradeoffFunction) -> Norm | None:
    """Return "l1" for a claim of Laplace noise, "l2" for one of Gaussian noise, else None."""
    norms = [norm for norm, kind in NOISE_BY_NORM.items() if isinstance(claim, kind)]
    return cast(Norm, norms[0]) if norms else None


@dataclass(frozen=True, kw_only=True)
class QueryNoise:
    """A query that adds independent noise to each of its coordinates.

    `sensitivity`, in (0, inf), is in the norm `norm`; `noise`, in (0, inf], is the standard
    deviation (Gaussian) or the scale (Laplace); `dimension` is at least 1. Raises ValueError if a
    field leaves its range.
    """

    sensitivity: float = 1.0
    norm: Norm = "l2"
    dimension: int = 1
    noise: float = 1.0

    def __post_init__(self) -> None:
        sensitivity = checks.real("sensitivity", self.sensitivity, 0, np.inf, closed="neither")
        noise = checks.real("noise", self.noise, 0, np.inf, closed="right")
        checks.choice("norm", self.norm, NORMS)
        object.__setattr__(self, "sensitivity", sensitivity)
        object.__setattr__(self, "noise", noise)
        object.__setattr__(self, "dimension", checks.whole("dimension", self.dimension, 1))

    def sensitivity_in(self, norm: Norm) -> float:
        """Return the largest sensitivity in the norm `norm` that the query can have."""
        return convert_sensitivity(
            self.sensitivity, given=self.norm, wanted=norm, dimension=self.dimension
        )

    def claim(self, like: TradeoffFunction) -> TradeoffFunction:
        """Return the guarantee of this query, of the same class and adjacency as `like`.

        Raises ValueError if `like` is no Gaussian or Laplace mechanism.
        """
        norm = noise_norm(like)
        if norm is None:
            raise checks.fail("like", "a Gaussian or Laplace mechanism", like)
        moved = self.sensitivity_in(norm)
        # A noise multiplier is noise over sensitivity; μ and ε are sensitivity over noise.
        if isinstance(like, GaussianMechanism):
            return like.with_parameters(noise_multiplier=self.noise / moved)
        name = "mu" if norm == "l2" else "epsilon"
        return like.with_parameters(**{name: moved / self.noise})

    def with_noise_of(self, claim: TradeoffFunction) -> "QueryNoise":
        """Return the query with the noise that makes it satisfy `claim`; unchanged if none does."""
        norm = noise_norm(claim)
        if norm is None or self.claim(claim) == claim:
            return self
        # A claim of 0 takes infinite noise; an infinite claim takes none, and the query stays.
        with np.errstate(divide="ignore", over="ignore"):
            noise = float(np.float64(self.sensitivity_in(norm)) / _sensitivity_over_noise(claim))
        return replace(self, noise=noise) if noise > 0 else self


def _sensitivity_over_noise(claim: TradeoffFunction) -> float:
    """Return sensitivity over noise: the claim's mu (Gaussian) or epsilon (Laplace)."""
    return claim.mu if isinstance(claim, GaussianDP) else float(claim.parameters["epsilon"])


def noise_sentence(noise: QueryNoise, claim: TradeoffFunction) -> str:
    """Say how noise and sensitivity give the claim's mu or epsilon; "" if it has neither noise."""
    norm = noise_norm(claim)
    if norm is None:
        return ""
    # Without noise there is no finite guarantee to speak of.
    if np.isinf(_sensitivity_over_noise(claim)):
        return "No noise is added: the output is the query's answer itself."
    d, is_gaussian = noise.dimension, norm == "l2"
    moved, size = short(noise.sensitivity_in(norm)), short(noise.noise)
    kind = f"standard deviation {size}" if is_gaussian else f"scale {size}"
    given = f"{NORM_NAMES[noise.norm]} sensitivity {short(noise.sensitivity)}"
    room = "one dimension" if d == 1 else f"{d} dimensions"
    if claim.adjacency == "add_remove":
        room += " (one record added or removed)"
    strength = short(noise.sensitivity_in(norm) / noise.noise)
    reached = f"{'μ' if is_gaussian else 'ε'} = {moved} / {size} = {strength}"
    text = f"Noise of {kind} in each coordinate, a query of {given} in {room}: "
    # Where the norm of the sensitivity is another one, its largest conversion counts.
    factor = NORM_FACTORS.get((noise.norm, norm))
    if factor and d > 1:
        text += (
            f"at most {factor} · {short(noise.sensitivity)} = {moved} in {NORM_NAMES[norm]}, so "
        )
    text += f"{reached}. "
    # Only the Laplace mechanism is less exact than its epsilon in more than one dimension.
    if is_gaussian:
        return text + "Gaussian noise: this curve is exact in any dimension."
    if d == 1 or noise.norm == "l1":
        return text + "Laplace noise with an L1 sensitivity: this curve is exact in any dimension."
    return text + (
        "That ε is the smallest that holds, but between its two ends this curve is only a bound: "
        f"a query of this {NORM_NAMES[noise.norm]} sensitivity is more private than drawn."
    )
