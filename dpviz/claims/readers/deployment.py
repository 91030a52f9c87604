"""The OpenDP deployments registry: one YAML file a deployment (schema of July 2026)."""

from collections.abc import Mapping
from typing import Any

from dpviz import checks
from dpviz.claims.claim import Claim
from dpviz.claims.reader import Reader
from dpviz.theory import ApproximateDP, PureDP, TradeoffFunction, ZeroConcentratedDP

VARIANTS = ("Pure DP", "Approximate DP", "Zero-concentrated DP")


def _accepts(source: Any) -> bool:
    return isinstance(source, Mapping) and bool(source.keys() & {"deployment", "url_slug"})


def _read(source: Mapping[str, Any]) -> Claim:
    deployment = _section(source, "deployment")
    name = str(_section(deployment, "basic", "deployment.").get("name", "?"))
    loss = _section(deployment, "privacy_loss", "deployment.")
    variant = _optional(deployment, "dp_variant", "deployment.").get("variant_name")
    stated = _optional(loss, "privacy_parameters", "deployment.privacy_loss.")
    given = {key: stated[key] for key in ("epsilon", "delta", "rho") if stated.get(key) is not None}
    if not given:
        where = "deployment.privacy_loss.privacy_parameters"
        got = [key for key, value in stated.items() if value is not None] or "no numbers"
        raise ValueError(f"{where} of {name!r} must have epsilon or rho, got {got}")
    notes = [f"{name!r}; unit of privacy: {str(loss.get('privacy_unit', 'not stated')).strip()}"]
    guarantee = guarantee_of_variant(variant, given, notes)
    return Claim(
        guarantee=guarantee,
        source=f"the deployments registry, {source.get('url_slug', 'no url_slug')}",
        states_adjacency=False,
        notes=tuple(notes),
    )


def _section(parent: Mapping[str, Any], name: str, where: str = "") -> Mapping[str, Any]:
    if name not in parent:
        there = ", ".join(map(str, parent)) or "nothing"
        rule = "must be a section of the registry's file"
        raise ValueError(f"{where}{name} {rule}, got only {there}")
    found = parent[name]
    if not isinstance(found, Mapping):
        raise checks.fail(f"{where}{name}", "a section of the registry's file", found)
    return found


def _optional(parent: Mapping[str, Any], name: str, where: str) -> Mapping[str, Any]:
    return _section(parent, name, where) if parent.get(name) else {}


def guarantee_of_variant(
    variant: object, given: dict[str, Any], notes: list[str]
) -> TradeoffFunction:
    """The guarantee of stated numbers; what else they say is added to `notes`.

    Raises ValueError if a number is missing, or the variant is not known.
    """
    if variant not in VARIANTS:
        where = "deployment.dp_variant.variant_name"
        raise checks.fail(where, f"one of {', '.join(VARIANTS)}", variant)
    if variant == "Zero-concentrated DP":
        if "rho" not in given:
            raise checks.fail("privacy_parameters of zCDP", "with rho", sorted(given))
        if "epsilon" in given:
            notes.append(f"it also states epsilon {given['epsilon']}, delta {given.get('delta')}")
        return ZeroConcentratedDP(rho=given["rho"])
    if "epsilon" not in given:
        raise checks.fail(f"privacy_parameters of {variant}", "with epsilon", sorted(given))
    if variant == "Pure DP" and "delta" in given:
        notes.append("it says pure DP and states a delta: read with the delta")
    if variant == "Pure DP" and not given.get("delta"):
        return PureDP(epsilon=given["epsilon"])
    if "delta" not in given:
        raise checks.fail("privacy_parameters of approximate DP", "with delta", sorted(given))
    return ApproximateDP(epsilon=given["epsilon"], delta=given["delta"])


DEPLOYMENT = Reader(name="a YAML file of the deployments registry", accepts=_accepts, read=_read)
