"""Noisy averages of a value over regions, at several zoom levels.

Every record is in one region of each level, and its value is clipped to [low, high]. Another value
for one record moves one average per level, by (high - low) / (number of records in the region). So
each level alone has the same sensitivity in every norm; for all levels together the L1
sensitivity is the sum, the L2 the root of the sum of squares, the Linf the maximum.

That is event-level privacy. User-level privacy is about all records of a person: if they lie in one
region of each level, the sensitivities are multiplied by their number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.calibration import NORMS, Norm
from dpviz.theory.mechanisms.gaussian import GaussianDP
from dpviz.theory.mechanisms.laplace import LaplaceMechanism

MOST_LEVELS = 12


@dataclass(frozen=True, kw_only=True)
class ZoomLevels:
    """Averages in the regions of several zoom levels, and the noise added to each average.

    Parameters
    ----------
    records : int, at least 1; each region of a level has at least records // regions of them
    low, high : float, values are clipped to this range; `low` is below `high`
    regions : sequence of int
        Number of regions at each level, ascending, at most one per record; at most 12 levels.
    scale : float, above 0, scale of the noise on each average (Gaussian: its standard deviation)
    per_person : int
        Records of one person, at most those of the smallest region; 1 is event-level privacy.

    Examples
    --------
    >>> from dpviz.theory.zoom_levels import ZoomLevels
    >>> incomes = ZoomLevels(records=100_000, low=0.0, high=200.0, regions=[1, 50, 2500])
    >>> incomes.epsilons.tolist(), incomes.epsilon
    ([0.002, 0.1, 5.0], 5.102)
    """

    records: int = 100_000
    low: float = 0.0
    high: float = 200.0
    regions: Sequence[int] = (1, 50, 2500)
    scale: float = 1.0
    per_person: int = 1

    def __post_init__(self) -> None:
        records = checks.whole("records", self.records, 1)
        low = checks.real("low", self.low, -np.inf, np.inf, closed="neither")
        high = checks.real("high", self.high, low, np.inf, closed="neither")
        regions = tuple(checks.whole("regions", each, 1, records) for each in self.regions)
        if not 1 <= len(regions) <= MOST_LEVELS:
            raise checks.fail("regions", f"a list of 1 to {MOST_LEVELS} numbers", list(regions))
        if list(regions) != sorted(set(regions)):
            raise checks.fail("regions", "in strictly ascending order", list(regions))
        scale = checks.positive("scale", self.scale)
        # One person's records are at most those of the smallest region.
        own = checks.whole("per_person", self.per_person, 1, records // regions[-1])
        legal = {"records": records, "low": low, "high": high, "regions": regions}
        for name, value in {**legal, "scale": scale, "per_person": own}.items():
            object.__setattr__(self, name, value)

    @property
    def least_sizes(self) -> tuple[int, ...]:
        """The number of records in the smallest region of each zoom level."""
        return tuple(self.records // each for each in self.regions)

    @property
    def sensitivities(self) -> FloatArray:
        """The largest change of a region's average by one person, for each zoom level."""
        moved = self.per_person * (self.high - self.low)  # all in one region, in the worst case
        return moved / np.array(self.least_sizes, dtype=np.float64)

    @property
    def epsilons(self) -> FloatArray:
        """The epsilon of each zoom level alone under Laplace noise.

        Under Gaussian noise, the same numbers are the mu of each level.
        """
        return self.sensitivities / self.scale

    @property
    def epsilon(self) -> float:
        """The epsilon of all zoom levels together under Laplace noise.

        This is the L1 sensitivity divided by `scale`.
        """
        return self.sensitivity("l1") / self.scale

    def sensitivity(self, norm: Norm) -> float:
        """Return the sensitivity of all averages together in the norm "l1", "l2" or "linf"."""
        order = {"l1": 1, "l2": 2, "linf": np.inf}[checks.choice("norm", norm, NORMS)]
        return float(np.linalg.norm(self.sensitivities, order))

    @property
    def mu(self) -> float:
        """The mu of all zoom levels together under Gaussian noise.

        This is the L2 sensitivity divided by `scale`.
        """
        return self.sensitivity("l2") / self.scale

    def mechanism(self, norm: Literal["l1", "l2"] = "l1") -> LaplaceMechanism | GaussianDP:
        """Return the guarantee of all levels for Laplace noise ("l1") or Gaussian noise ("l2")."""
        if checks.choice("norm", norm, ("l1", "l2")) == "l1":
            return LaplaceMechanism(epsilon=self.epsilon)
        return GaussianDP(mu=self.mu)
