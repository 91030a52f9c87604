"""Published deployments of differential privacy: a table of facts, with their guarantees."""

import csv
from dataclasses import dataclass
from pathlib import Path

from dpviz.claims.readers.deployment import guarantee_of_variant
from dpviz.theory import TradeoffFunction

TABLE = Path(__file__).parent / "deployments.csv"
FIELDS = ("organisation", "name", "year", "variant", "epsilon", "delta", "rho", "unit", "source")


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """One published use of differential privacy.

    Parameters
    ----------
    organisation, name : str
    year : int, of the first publication
    variant : str, as the registry names it; empty where nothing is stated
    epsilon, delta, rho : float or None, as they are stated
    unit : str
        What the guarantee is about: a user, a user's day, an event. Numbers of different units are
        not comparable.
    source : str, the registry's slug

    Examples
    --------
    >>> import dpviz
    >>> census = next(d for d in dpviz.read_sample_registry() if d.rho == 2.63)
    >>> census.organisation, census.year, census.guarantee
    ('U.S. Census Bureau', 2021, ZeroConcentratedDP(rho=2.63))
    """

    organisation: str
    name: str
    year: int
    variant: str
    epsilon: float | None
    delta: float | None
    rho: float | None
    unit: str
    source: str

    @property
    def guarantee(self) -> TradeoffFunction | None:
        """What is stated, with the adjacency left at replace-one; None without numbers."""
        numbers = {"epsilon": self.epsilon, "delta": self.delta, "rho": self.rho}
        given = {name: value for name, value in numbers.items() if value is not None}
        try:
            return guarantee_of_variant(self.variant, given, [])
        except ValueError:
            return None


def read_sample_registry() -> tuple[Deployment, ...]:
    """Return the packaged table of published deployments.

    Facts of our own making from the OpenDP deployments registry of July 2026.

    Returns
    -------
    tuple of Deployment

    Examples
    --------
    >>> import dpviz
    >>> deployments = dpviz.read_sample_registry()
    >>> len(deployments), sum(d.guarantee is None for d in deployments)
    (41, 7)
    """
    with TABLE.open(encoding="utf-8", newline="") as file:
        return tuple(
            Deployment(
                organisation=row["organisation"],
                name=row["name"],
                year=int(row["year"]),
                variant=row["variant"],
                epsilon=_number(row["epsilon"]),
                delta=_number(row["delta"]),
                rho=_number(row["rho"]),
                unit=row["unit"],
                source=row["source"],
            )
            for row in csv.DictReader(file)
        )


def _number(text: str) -> float | None:
    return float(text) if text else None
