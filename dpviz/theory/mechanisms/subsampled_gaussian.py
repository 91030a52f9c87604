"""DP-SGD: the Gaussian mechanism on a random sample, step after step."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np

from dpviz import checks
from dpviz.theory import composition as accounting
from dpviz.theory.composition import Composition
from dpviz.theory.derived import Delegated
from dpviz.theory.mechanisms.gaussian import GaussianDP
from dpviz.theory.mechanisms.subsampled import OneWaySubsampled, PoissonReplaceOne, Subsampled
from dpviz.theory.tradeoff import Adjacency, TradeoffFunction, checked_adjacency

Sampling = Literal["poisson", "fixed_size"]
SAMPLINGS = ("poisson", "fixed_size")
USUAL_SAMPLING: dict[Adjacency, Sampling] = {"add_remove": "poisson", "replace_one": "fixed_size"}


@dataclass(frozen=True, kw_only=True, repr=False)
class SubsampledGaussian(Delegated):
    """`steps` Gaussian mechanisms, each on a fresh random sample of the records.

    What it stands for depends on the sampling and the adjacency:

    - ``poisson``: every record is in the sample with probability `sampling_rate` independently; the
      noise is relative to what one record can add (for clipped gradients the clipping norm). Under
      ``add_remove`` (the default, and what accountants of DP-SGD report) both orders, with and
      without the record, are composed and the worse one counts at every FPR. Under ``replace_one``
      the record's contribution is replaced by its opposite (:class:`PoissonReplaceOne`).
    - ``fixed_size``, for ``replace_one`` only: samples of a fixed size without replacement,
      `sampling_rate` their share of the records; the noise is relative to what replacing one record
      can change (for clipped gradients twice the clipping norm). The composition of C_p(G).

    One step and sampling everybody are closed forms; everything else goes through privacy-loss
    distributions (extra ``accounting``), from below and with its `error` stated.

    Parameters
    ----------
    noise_multiplier : float
        In (0, inf]: standard deviation of the noise divided by the L2 sensitivity.
    sampling_rate : float, in (0, 1]
    steps : int, from 1 to 10^7
    sampling : {"poisson", "fixed_size"}, optional
        Left out: "poisson" under add_remove, "fixed_size" under replace_one.

    Raises
    ------
    ValueError
        If a parameter leaves its range, or samples are of a fixed size under add_remove.
    ImportError
        When the curve is first needed, if it takes dp-accounting and that is not installed.

    Examples
    --------
    >>> from dpviz.theory import SubsampledGaussian
    >>> round(SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.1).epsilon(1e-5), 4)
    1.6845
    """

    noise_multiplier: float
    sampling_rate: float
    steps: int = 1
    adjacency: Adjacency = "add_remove"
    sampling: Sampling | None = None

    def __post_init__(self) -> None:
        noise = checks.real("noise_multiplier", self.noise_multiplier, 0, np.inf, closed="right")
        rate = checks.real("sampling_rate", self.sampling_rate, 0, 1, closed="right")
        object.__setattr__(self, "noise_multiplier", noise)
        object.__setattr__(self, "sampling_rate", rate)
        object.__setattr__(self, "steps", checks.whole("steps", self.steps, 1, 10**7))
        checked_adjacency(self.adjacency)
        if self.sampling is None:
            object.__setattr__(self, "sampling", USUAL_SAMPLING[self.adjacency])
        checks.choice("sampling", self.sampling, SAMPLINGS)
        if self.adjacency == "add_remove" and self.sampling != "poisson":
            raise checks.fail("sampling", "'poisson' for add_remove adjacency", self.sampling)

    is_symmetric = True  # either order may occur

    @property
    def parameters(self) -> dict[str, Any]:
        """As for every guarantee; the usual sampling is left out."""
        given = super().parameters
        if self.sampling == USUAL_SAMPLING[self.adjacency]:
            del given["sampling"]
        return given

    def with_parameters(self, **changes: Any) -> Self:
        """As for every guarantee; Poisson sampling stays that under another adjacency."""
        if self.sampling == "poisson":
            changes = {"sampling": "poisson", **changes}
        return super().with_parameters(**changes)

    def _two_steps(self) -> TradeoffFunction:
        return self.with_parameters(adjacency="replace_one")

    @cached_property
    def composition(self) -> Composition | None:
        """How the curve was found through privacy-loss distributions; None when it is exact."""
        if self.steps == 1 or self._is_gaussian:
            return None
        return accounting.compose(self._factors(), either_order=True)

    @property
    def _is_gaussian(self) -> bool:
        return self.sampling_rate == 1 or np.isinf(self.noise_multiplier)

    def _factors(self) -> Mapping[TradeoffFunction, int]:
        adjacency, rate, mu = self.adjacency, self.sampling_rate, 1 / self.noise_multiplier
        is_opposite = adjacency == "replace_one" and self.sampling == "poisson"
        if self._is_gaussian:  # the Gaussian of all steps
            shift = 2 * mu if is_opposite else mu
            return {GaussianDP(mu=shift * float(np.sqrt(self.steps)), adjacency=adjacency): 1}
        if is_opposite:
            return {PoissonReplaceOne(mu=mu, sampling_rate=rate): self.steps}
        base = GaussianDP(mu=mu, adjacency=adjacency)
        kind = Subsampled if self.sampling == "fixed_size" else OneWaySubsampled
        return {kind(base=base, sampling_rate=rate, adjacency=adjacency): self.steps}

    def _make_curve(self) -> TradeoffFunction:
        if self.composition is not None:
            return self.composition.curve
        (curve,) = self._factors()
        return curve.min_symmetrized()
