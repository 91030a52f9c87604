"""Published deployments of differential privacy."""

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from dpviz import checks
from dpviz.claims.readers.plain import guarantee_of_variant
from dpviz.theory import GroupPrivacy, TradeoffFunction, ZeroConcentratedDP

Per = Literal["person", "period", "event", "other"]
PER: tuple[Per, ...] = get_args(Per)
TABLE = Path(__file__).parent / "deployments.csv"
FIELDS = (
    *("label", "organisation", "name", "year", "variant", "epsilon", "delta", "rho"),
    *("unit", "per", "source"),
)


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """One published use of differential privacy.

    Parameters
    ----------
    label : str, short, unique
    organisation, name : str
    year : int, of the first publication
    variant : str, as the registry names it; empty where nothing is stated
    epsilon, delta, rho : float or None, as they are stated
    unit : str
        What the guarantee is about, as the registry names it. Numbers of different units are not
        comparable.
    per : {"person", "period", "event", "other"}
        The kind of the unit: a person, user or account; a user's day or another period; one event;
        anything else, or not stated.
    source : str, the registry's slug

    Examples
    --------
    >>> import dpviz
    >>> census = next(d for d in dpviz.read_sample_registry() if d.rho == 2.63)
    >>> census.organisation, census.year, census.guarantee
    ('U.S. Census Bureau', 2021, ZeroConcentratedDP(rho=2.63))
    """

    label: str
    organisation: str
    name: str
    year: int
    variant: str
    epsilon: float | None
    delta: float | None
    rho: float | None
    unit: str
    per: Per
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

    def covering(self, units: int) -> TradeoffFunction:
        """What is stated of `units` units together, such as all days of one user.

        Parameters
        ----------
        units : int, 1 to 1000

        Returns
        -------
        TradeoffFunction
            By group privacy; of rho-zCDP the statement units**2 rho.

        Raises
        ------
        ValueError
            If `units` leaves its range, or nothing is stated.

        References
        ----------
        Bun, Steinke, Concentrated differential privacy, TCC 2016, proposition 1.9.

        Examples
        --------
        >>> import dpviz
        >>> mobility = next(d for d in dpviz.read_sample_registry() if d.epsilon == 2.64)
        >>> [round(mobility.covering(days).tpr(0.01), 2) for days in (1, 2, 7)]
        [0.14, 0.94, 1.0]
        """
        units = checks.whole("units", units, 1, 1000)
        stated = self.guarantee
        if stated is None:
            raise checks.fail("deployment", "one that states a guarantee", self.label)
        if units == 1:
            return stated
        if isinstance(stated, ZeroConcentratedDP):
            return ZeroConcentratedDP(rho=units**2 * stated.rho)
        return GroupPrivacy(stated, size=units)


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
                label=row["label"],
                organisation=row["organisation"],
                name=row["name"],
                year=int(row["year"]),
                variant=row["variant"],
                epsilon=_number(row["epsilon"]),
                delta=_number(row["delta"]),
                rho=_number(row["rho"]),
                unit=row["unit"],
                per=cast(Per, row["per"]),
                source=row["source"],
            )
            for row in csv.DictReader(file)
        )


def _number(text: str) -> float | None:
    return float(text) if text else None
