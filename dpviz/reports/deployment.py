"""The fields of the OpenDP deployments registry that a report knows, under the registry's names."""

from typing import Any

from dpviz.analysis.sentences.claim import name as name_of
from dpviz.reports.groups.question import variant
from dpviz.reports.material import Material
from dpviz.theory import ApproximateDP, ZeroConcentratedDP


def deployment(made: Material) -> dict[str, Any]:
    """What is known; the registry requires more, which only the curator can state."""
    given, about = made.result.spec.claim, made.about
    known: dict[str, dict[str, Any]] = {
        "basic": {"name": about.get("subject", {}).get("model_name")},
        "dp_variant": {},
        "privacy_loss": {"privacy_unit": about.get("theory", {}).get("unit")},
        "deployment_model": {"model_name": about.get("theory", {}).get("deployment_model")},
        "accounting": {"composition": about.get("theory", {}).get("composition")},
        "implementation": {},
    }
    if made.is_claimed:
        known["dp_variant"]["variant_name"] = variant(given)
        known["implementation"]["mechanisms"] = name_of(given)
        known["privacy_loss"]["privacy_unit_details"] = f"adjacency: {given.adjacency}"
        if isinstance(given, ZeroConcentratedDP):
            known["privacy_loss"]["privacy_parameters"] = {"rho": given.parameters["rho"]}
        if isinstance(given, ApproximateDP):
            known["privacy_loss"]["privacy_parameters"] = {
                "epsilon": given.claimed_epsilon,
                "delta": given.claimed_delta,
            }
    stated = {
        part: {name: value for name, value in fields.items() if value is not None}
        for part, fields in known.items()
    }
    return {part: fields for part, fields in stated.items() if fields}
