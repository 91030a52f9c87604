"""What only people know about an audit, as text: its names, and the checks of what is given."""

from collections.abc import Mapping

from dpviz import checks
from dpviz.claims.plain_json import shortened

LONGEST = 2000  # characters of a text
About = Mapping[str, Mapping[str, str | int | float | bool]]

# By group and field of a report: the label. All are "not stated" until somebody states them.
ABOUT: dict[str, dict[str, str]] = {
    "subject": {
        "model_name": "model",
        "model_version": "version of the model",
        "model_sha256": "SHA-256 of the model",
        "task": "task of the model",
        "training_data": "training data",
    },
    "sampling": {
        "nonmembers": "how the non-members were chosen",
        "models": "number of models",
        "canaries": "number of canaries",
        "canary_type": "kind of canaries",
        "inclusion_rate": "probability that a canary is included",
    },
    "attack": {
        "name": "attack",
        "access": "what the attacker sees of the model",
        "shadow_models": "shadow models",
        "training_data": "data that the attack was trained on",
    },
    "params": {"prior_reason": "reason for the prior"},
    "theory": {
        "unit": "unit of privacy",
        "accountant": "accountant and its version",
        "clipping_norm": "clipping norm",
        "composition": "releases that the claim covers",
        "deployment_model": "trust model",
    },
    "auditor": {
        "name": "auditor",
        "organisation": "organisation",
        "contact": "contact",
        "date": "date of the audit",
        "licence": "licence of this report",
    },
}


def checked_about(given: About | None) -> About:
    """The texts by group and field.

    Raises ValueError if a group or a field is not known, or a value is not a text of at most 2000
    characters, a number, true or false.
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise checks.fail("about", f"a table of {', '.join(ABOUT)}", shortened(given))
    for group, fields in given.items():
        checks.choice("group in about", group, ABOUT)
        if not isinstance(fields, Mapping):
            raise checks.fail(
                f"about.{group}", f"a table of {', '.join(ABOUT[group])}", shortened(fields)
            )
        for name, value in fields.items():
            checks.choice(f"field in about.{group}", name, ABOUT[group])
            _check_value(f"about.{group}.{name}", value)
    return given


def _check_value(name: str, value: object) -> None:
    if not isinstance(value, str | int | float | bool):
        raise checks.fail(name, "text or a number", shortened(value))
    if len(str(value)) > LONGEST:
        raise checks.fail(name, f"text of at most {LONGEST} characters", shortened(value))
