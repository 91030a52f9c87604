"""What was registered before the scores existed, and what was done otherwise."""

from dpviz.reports.material import Material
from dpviz.reports.model import Field, Group


def protocol(made: Material) -> Group:
    """The hash of the receipt, and the differences; not stated where nothing was registered."""
    compared = made.result.answers.get("protocol")
    digest = compared.receipt.sha256 if compared else None
    listed = [str(each) for each in compared.differences] if compared else None
    fields = (
        Field(name="sha256", label="receipt (SHA-256 of the protocol)", value=digest),
        Field(
            name="differences",
            label="done otherwise than planned",
            value=listed,
            shown="; ".join(listed) if listed else "nothing",
        ),
        Field(name="attack", label="planned attack", value=compared and compared.receipt.attack),
    )
    return Group(name="protocol", title="Registered protocol", fields=fields)
