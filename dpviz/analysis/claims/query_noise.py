"""`QueryNoise` computes the guarantee of a query from its noise and its sensitivity."""

from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from dpviz import checks
from dpviz.number_format import short
from dpviz.theory import GaussianDP, GaussianMechanism, LaplaceMechanism, TradeoffFunction
from dpviz.theory.calibration import NORMS, Norm, convert_sensitivity
from dpviz.theory.mechanisms.gaussian import SHIFTS

NORM_NAMES = {"l1": "L1", "l2": "L2", "linf": "L∞"}
# The guarantee of a kind of noise, by the norm of the sensitivity on which it depends.
NOISE_BY_NORM: dict[str, type[TradeoffFunction]] = {"l1": LaplaceMechanism, "l2": GaussianDP}
# The largest ratio of two norms in d dimensions, by (norm given, norm wanted).
NORM_FACTORS = {("l2", "l1"): "√d", ("linf", "l1"): "d", ("linf", "l2"): "√d"}


def noise_norm(claim: TradeoffFunction) -> Norm | None:
    """Return "l1" for a claim of Laplace noise, "l2" for Gaussian noise, None for other claims."""
    norms = [norm for norm, kind in NOISE_BY_NORM.items() if isinstance(claim, kind)]
    return cast(Norm, norms[0]) if norms else None


@dataclass(frozen=True, kw_only=True)
class QueryNoise:
    """A query with independent noise in each of its `dimension` coordinates."""

    sensitivity: float = 1.0  # in (0, inf), measured in `norm`
    norm: Norm = "l2"
    dimension: int = 1
    noise: float = 1.0  # in (0, inf]: deviation of Gaussian noise, or scale of Laplace noise

    def __post_init__(self) -> None:
        sensitivity = checks.real("sensitivity", self.sensitivity, 0, np.inf, closed="neither")
        noise = checks.real("noise", self.noise, 0, np.inf, closed="right")
        checks.choice("norm", self.norm, NORMS)
        object.__setattr__(self, "sensitivity", sensitivity)
        object.__setattr__(self, "noise", noise)
        object.__setattr__(self, "dimension", checks.whole("dimension", self.dimension, 1))

    def sensitivity_in(self, norm: Norm) -> float:
        """Return the largest sensitivity in `norm` that the sensitivity in `self.norm` allows."""
        return convert_sensitivity(
            self.sensitivity, given=self.norm, wanted=norm, dimension=self.dimension
        )

    def claim_in_class_of(self, like: TradeoffFunction) -> TradeoffFunction:
        """Return the guarantee of the noisy query, in the class and adjacency of `like`."""
        norm = noise_norm(like)
        if norm is None:
            raise checks.fail("like", "a claim of Gaussian or Laplace noise", like)
        sensitivity = self.sensitivity_in(norm)
        # The sensitivity is that of the claim's adjacency; a noise multiplier's is of add/remove.
        if isinstance(like, GaussianMechanism):
            noise = SHIFTS[like.adjacency] * self.noise / sensitivity
            return like.with_parameters(noise_multiplier=noise)
        name = "mu" if norm == "l2" else "epsilon"
        return like.with_parameters(**{name: sensitivity / self.noise})

    def with_noise_of(self, claim: TradeoffFunction) -> "QueryNoise":
        """Return the query with the noise that gives `claim`, or `self` if no such noise exists."""
        norm = noise_norm(claim)
        if norm is None or self.claim_in_class_of(claim) == claim:
            return self
        # Epsilon 0 needs infinite noise; an infinite epsilon needs none: the query is unchanged.
        with np.errstate(divide="ignore", over="ignore"):
            noise = float(np.float64(self.sensitivity_in(norm)) / _sensitivity_over_noise(claim))
        return replace(self, noise=noise) if noise > 0 else self


def _sensitivity_over_noise(claim: TradeoffFunction) -> float:
    """Return the sensitivity divided by the noise: mu (Gaussian) or epsilon (Laplace)."""
    return claim.mu if isinstance(claim, GaussianDP) else float(claim.parameters["epsilon"])


def noise_sentence(noise: QueryNoise, claim: TradeoffFunction) -> str:
    """Say which mu (Gaussian) or epsilon (Laplace) the noise gives; "" for other claims."""
    norm = noise_norm(claim)
    if norm is None:
        return ""
    if np.isinf(_sensitivity_over_noise(claim)):
        return "No noise is added: the output is the query's answer itself."
    d, is_gaussian = noise.dimension, norm == "l2"
    converted, size = short(noise.sensitivity_in(norm)), short(noise.noise)
    kind = f"standard deviation {size}" if is_gaussian else f"scale {size}"
    given = f"{NORM_NAMES[noise.norm]} sensitivity {short(noise.sensitivity)}"
    space = "one dimension" if d == 1 else f"{d} dimensions"
    if claim.adjacency == "add_remove":
        space += " (one record added or removed)"
    strength = short(noise.sensitivity_in(norm) / noise.noise)
    reached = f"{'μ' if is_gaussian else 'ε'} = {converted} / {size} = {strength}"
    text = f"Noise with {kind} in each coordinate and a query with {given} in {space} give "
    # A sensitivity in another norm is converted by the largest ratio of the norms.
    factor = NORM_FACTORS.get((noise.norm, norm))
    if factor and d > 1:
        product = f"{factor} · {short(noise.sensitivity)} = {converted}"
        text += f"a sensitivity of at most {product} in {NORM_NAMES[norm]}, so "
    text += f"{reached}. "
    # The Laplace mechanism's curve is only a bound in more than one dimension.
    if is_gaussian:
        return text + "For Gaussian noise this curve is exact in any dimension."
    if d == 1 or noise.norm == "l1":
        return (
            text + "For Laplace noise and an L1 sensitivity this curve is exact in any dimension."
        )
    return text + (
        "This ε is the smallest ε that holds. Between its two ends this curve is only a bound: "
        f"a query with this {NORM_NAMES[noise.norm]} sensitivity is more private than drawn."
    )
