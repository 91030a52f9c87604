"""Published deployments of differential privacy, from a packaged table or a registry's files."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from dpviz import checks
from dpviz.claims.claim import Claim, ClaimReader
from dpviz.theory import ApproximateDP, GroupPrivacy, PureDP, TradeoffFunction, ZeroConcentratedDP
from dpviz.value_object import ValueObject

Per = Literal["person", "period", "event", "other"]
PER: tuple[Per, ...] = get_args(Per)
PARAMETERS = ("epsilon", "delta", "rho")  # null, or no text, if not stated
TABLE_PATH = Path(__file__).parent / "deployments.csv"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Deployment(ValueObject):
    """One published use of differential privacy.

    Parameters
    ----------
    label : str, short, unique
    organisation, name : str
    year : int, of the first publication
    variant : str, the kind of DP as the registry names it; empty if the registry names none
    epsilon, delta, rho : float or None, the stated parameters
    unit : str, the unit of privacy as the registry names it; only equal units are comparable
    per : {"person", "period", "event", "other"}
        The kind of the unit: a person or account; a day or another period; one event; other.
    source : str, the identifier of the deployment in the registry (its slug)

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

    @cached_property
    def guarantee(self) -> TradeoffFunction | None:
        """The guarantee under replace-one adjacency.

        The result is None if the entry does not determine the guarantee.
        """
        stated = {name: getattr(self, name) for name in PARAMETERS}
        try:
            return _guarantee_of(self.variant, stated, [])
        except ValueError:
            return None

    def group_guarantee(self, units: int) -> TradeoffFunction:
        """Return the guarantee for a group of several privacy units.

        Such a group is, for example, all days of one user. The guarantee follows by group privacy;
        rho-zCDP becomes (units**2 rho)-zCDP (Bun and Steinke, 2016, proposition 1.9).

        Parameters
        ----------
        units : int, 1 to 1000

        Raises
        ------
        ValueError, if `units` is out of range, or the deployment states no guarantee

        Examples
        --------
        >>> import dpviz
        >>> mobility = next(d for d in dpviz.read_sample_registry() if d.epsilon == 2.64)
        >>> [round(mobility.group_guarantee(days).tpr(0.01), 2) for days in (1, 2, 7)]
        [0.14, 0.94, 1.0]
        """
        units = checks.whole("units", units, 1, 1000)
        stated = self.guarantee
        if stated is None:
            raise checks.fail("deployment", "one that states a guarantee", self.label)
        if units == 1:
            return stated
        # Each unit shifts the query once more, and rho grows with the square of the shift.
        if isinstance(stated, ZeroConcentratedDP):
            return ZeroConcentratedDP(rho=units**2 * stated.rho)
        return GroupPrivacy(stated, size=units)


@cache
def read_sample_registry() -> tuple[Deployment, ...]:
    """Return the packaged deployments, taken from OpenDP's registry of July 2026.

    Examples
    --------
    >>> import dpviz
    >>> deployments = dpviz.read_sample_registry()
    >>> len(deployments), sum(d.guarantee is None for d in deployments)
    (41, 7)
    """
    with TABLE_PATH.open(encoding="utf-8", newline="") as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    for row in rows:
        row |= {name: float(row[name]) if row[name] else None for name in PARAMETERS}
    return tuple(Deployment(**{**row, "year": int(row["year"])}) for row in rows)


# The reader of files of the OpenDP deployments registry, one YAML file for each deployment.

VARIANTS = ("Pure DP", "Approximate DP", "Zero-concentrated DP")


def _read_deployment(source: Mapping[str, Any]) -> Claim:
    deployment = _required_section(source, "deployment")
    name = str(_required_section(deployment, "basic", "deployment.").get("name", "?"))
    loss = _required_section(deployment, "privacy_loss", "deployment.")
    variant = _optional_section(deployment, "dp_variant", "deployment.").get("variant_name")
    stated = _optional_section(loss, "privacy_parameters", "deployment.privacy_loss.")
    if all(stated.get(name) is None for name in PARAMETERS):
        where = "deployment.privacy_loss.privacy_parameters"
        got = [key for key, value in stated.items() if value is not None] or "no numbers"
        raise ValueError(f"{where} of {name!r} must have epsilon or rho, got {got}")
    notes = [f"{name!r}; unit of privacy: {str(loss.get('privacy_unit', 'not stated')).strip()}"]
    guarantee = _guarantee_of(variant, stated, notes)
    origin = f"the deployments registry, {source.get('url_slug', 'no url_slug')}"
    return Claim(guarantee=guarantee, source=origin, states_adjacency=False, notes=tuple(notes))


def _required_section(parent: Mapping[str, Any], name: str, where: str = "") -> Mapping[str, Any]:
    if name not in parent:
        got = f"only {', '.join(map(str, parent))}" if parent else "an empty section"
        raise ValueError(f"{where}{name} must be a section of the deployment's file, got {got}")
    section = parent[name]
    if not isinstance(section, Mapping):
        raise checks.fail(f"{where}{name}", "a section of the deployment's file", section)
    return section


def _optional_section(parent: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
    return _required_section(parent, name, where) if parent.get(name) else {}


def _guarantee_of(variant: object, stated: Mapping[str, Any], notes: list[str]) -> TradeoffFunction:
    """Return the guarantee of a DP `variant` with parameters `stated`; add remarks to `notes`."""
    params = {name: stated[name] for name in PARAMETERS if stated.get(name) is not None}
    if variant not in VARIANTS:
        where = "deployment.dp_variant.variant_name"
        raise checks.fail(where, f"one of {', '.join(VARIANTS)}", variant)
    section = f"privacy_parameters of {variant}"
    if variant == "Zero-concentrated DP":
        if "rho" not in params:
            raise checks.fail(section, "a section with rho", sorted(params))
        if "epsilon" in params:
            notes.append(f"also stated: epsilon {params['epsilon']}, delta {params.get('delta')}")
        return ZeroConcentratedDP(rho=params["rho"])
    if "epsilon" not in params:
        raise checks.fail(section, "a section with epsilon", sorted(params))
    # Registries contradict themselves: the weaker reading is taken, and noted.
    if variant == "Pure DP" and "delta" in params:
        notes.append("the entry says pure DP and states a delta: it is read with the delta")
    if variant == "Pure DP" and not params.get("delta"):
        return PureDP(epsilon=params["epsilon"])
    if "delta" not in params:
        raise checks.fail(section, "a section with delta", sorted(params))
    return ApproximateDP(epsilon=params["epsilon"], delta=params["delta"])


DEPLOYMENT_READER = ClaimReader(
    name="a YAML file of the deployments registry",
    accepts=lambda of: isinstance(of, Mapping) and bool(of.keys() & {"deployment", "url_slug"}),
    read=_read_deployment,
)
