"""Which data sets are neighbours in the claim."""

from dpviz.analysis.facts.question import Choice, Question

ADJACENCY = Question(
    text="Which data sets are neighbours in the claim?",
    subject="adjacency",
    choices={
        "add_remove": Choice(label="one record more or less"),
        "replace_one": Choice(label="one record replaced"),
        "zero_out": Choice(label="one record's contribution set to zero"),
    },
    assumed=lambda audited: audited.claim.adjacency,
    mismatch=Choice(
        label="",
        limit="the claim was entered with another adjacency",
        effect=(
            "The claim's neighbours are stated as “{stated}”, but it was entered with “{assumed}”: "
            "with the same ε these are different guarantees."
        ),
    ),
)
