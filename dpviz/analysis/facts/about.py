"""`About`: statements of users for an audit report, such as names, dates and descriptions."""

import re
from collections.abc import Mapping
from datetime import date
from math import isfinite
from types import MappingProxyType

from dpviz import checks
from dpviz.value_object import FrozenMapping

LONGEST_TEXT = 2000  # characters
LARGEST_INTEGER = 2**63
SURROGATE = re.compile("[\ud800-\udfff]")  # cannot be written as UTF-8
StatedValue = str | int | float | bool

# Labels by group and field of a report. A report prints "not stated" for what nobody stated.
ABOUT: dict[str, dict[str, str]] = {
    "subject": {
        **{"model_name": "model", "model_version": "version of the model"},
        **{"model_sha256": "SHA-256 of the model", "task": "task of the model"},
        "training_data": "training data",
    },
    "sampling": {
        "nonmembers": "how the non-members were chosen",
        **{"models": "number of models", "canaries": "number of canaries"},
        "canary_type": "kind of canaries",
        "inclusion_rate": "probability that a canary is included",
    },
    "attack": {
        **{"name": "attack", "access": "what the attacker sees of the model"},
        "shadow_models": "shadow models",
        "training_data": "data that the attack was trained on",
    },
    "tested": {"elsewhere": "tests of other classes, outside of this report"},
    "params": {"prior_reason": "reason for the prior"},
    "theory": {
        **{"unit": "unit of privacy", "accountant": "accountant and its version"},
        "clipping_norm": "clipping norm",
        **{"composition": "releases that the claim covers", "deployment_model": "trust model"},
    },
    "auditor": {
        **{"name": "auditor", "organisation": "organisation", "contact": "contact"},
        **{"date": "date of the audit", "licence": "licence of this report"},
    },
}


class About(FrozenMapping[Mapping[str, StatedValue]]):
    """Statements of users about an audit, as {group: {field: value}}; `ABOUT` lists the fields."""

    def __init__(self, given: object = MappingProxyType({})) -> None:
        if not isinstance(given, Mapping):
            raise checks.fail("about", f"a table with the keys {', '.join(ABOUT)}", given)
        for group in given:
            checks.choice("group in about", group, ABOUT)
        # Groups are in the order of `ABOUT`, without empty ones.
        stated = ((group, _stated_fields(group, given[group])) for group in ABOUT if group in given)
        super().__init__({group: FrozenMapping(fields) for group, fields in stated if fields})

    def as_dict(self) -> dict[str, dict[str, StatedValue]]:
        """Return all stated values as nested dicts that JSON, YAML and TOML can write."""
        return {group: dict(fields) for group, fields in self.items()}


def _stated_fields(group: str, given: object) -> dict[str, StatedValue]:
    known, place = ABOUT[group], f"about.{group}"
    if not isinstance(given, Mapping):
        raise checks.fail(place, f"a table with the keys {', '.join(known)}", given)
    for name in given:
        checks.choice(f"field in {place}", name, known)
    return {name: _json_value(f"{place}.{name}", given[name]) for name in known if name in given}


def _json_value(name: str, value: object) -> StatedValue:
    """Convert a text, number, date or bool for JSON; raise ValueError for any other value."""
    # A datetime is a date, too.
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str) and len(value) <= LONGEST_TEXT and not SURROGATE.search(value):
        return str(value)
    # A bool is an int in Python, so it is tested first.
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) <= LARGEST_INTEGER:
        return int(value)
    if isinstance(value, float) and isfinite(value):
        return float(value)
    raise checks.fail(name, f"text of at most {LONGEST_TEXT} characters or a number", value)
