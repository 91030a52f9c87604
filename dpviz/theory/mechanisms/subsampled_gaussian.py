"""DP-SGD: the Gaussian mechanism on a random sample, step after step."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpviz import checks
from dpviz.theory.composition import accounting
from dpviz.theory.composition.accounting import Composition
from dpviz.theory.delegated import Delegated
from dpviz.theory.mechanisms.gaussian import GaussianDP
from dpviz.theory.mechanisms.subsampled import OneWaySubsampled, Subsampled
from dpviz.theory.tradeoff import Adjacency, TradeoffFunction, checked_adjacency


@dataclass(frozen=True, kw_only=True, repr=False)
class SubsampledGaussian(Delegated):
    """`steps` Gaussian mechanisms, each on a fresh random sample of the records.

    What it stands for depends on the adjacency:

    - ``add_remove`` (the default, and what accountants of DP-SGD report): Poisson sampling, every
      record in the sample with probability `sampling_rate` independently; the noise is relative to
      what one record can add. Both orders, with and without the record, are composed and the worse
      one counts at every FPR.
    - ``replace_one``: samples of a fixed size without replacement, `sampling_rate` their share of
      the records; the noise is relative to what replacing one record can change (for clipped
      gradients twice the clipping norm). The composition of C_p(G).

    One step and sampling everybody are closed forms; everything else goes through privacy-loss
    distributions (extra ``accounting``), from below and with its `error` stated.

    Parameters
    ----------
    noise_multiplier : float
        In (0, inf]: standard deviation of the noise divided by the L2 sensitivity.
    sampling_rate : float, in (0, 1]
    steps : int, from 1 to 10^7

    Raises
    ------
    ValueError
        If a parameter leaves its range.
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

    def __post_init__(self) -> None:
        noise = checks.real("noise_multiplier", self.noise_multiplier, 0, np.inf, closed="right")
        rate = checks.real("sampling_rate", self.sampling_rate, 0, 1, closed="right")
        object.__setattr__(self, "noise_multiplier", noise)
        object.__setattr__(self, "sampling_rate", rate)
        object.__setattr__(self, "steps", checks.whole("steps", self.steps, 1, 10**7))
        checked_adjacency(self.adjacency)

    is_symmetric = True  # either order may occur

    def _two_steps(self) -> TradeoffFunction:
        return self.curve.to_replace_one()  # two steps on its curve, not the other kind of sampling

    @cached_property
    def composition(self) -> Composition | None:
        """How the curve was found through privacy-loss distributions; None when it is exact."""
        if self.steps == 1 or self._is_gaussian:
            return None
        kind = OneWaySubsampled if self.adjacency == "add_remove" else Subsampled
        return accounting.compose({self._step(kind): self.steps})

    @property
    def _is_gaussian(self) -> bool:
        return self.sampling_rate == 1 or np.isinf(self.noise_multiplier)

    def _step(self, kind: type[OneWaySubsampled | Subsampled]) -> TradeoffFunction:
        base = GaussianDP(mu=1 / self.noise_multiplier, adjacency=self.adjacency)
        return kind(base=base, sampling_rate=self.sampling_rate, adjacency=self.adjacency)

    def _make_curve(self) -> TradeoffFunction:
        if self.composition is not None:
            curve = self.composition.curve.min_symmetrized()
            return curve.with_parameters(adjacency=self.adjacency)
        if self._is_gaussian:
            mu = float(np.sqrt(self.steps)) / self.noise_multiplier
            return GaussianDP(mu=mu, adjacency=self.adjacency)
        return self._step(Subsampled)
