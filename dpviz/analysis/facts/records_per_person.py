"""How many records belong to one person."""

from dpviz.analysis.facts.question import Choice, Question

RECORDS_PER_PERSON = Question(
    text="How many of these records can belong to one person?",
    subject="records per person",
    choices={
        "one": Choice(label="one at most"),
        "several": Choice(
            label="several",
            limit="several records per person",
            effect=(
                "Several records belong to one person: they are not independent, so intervals are "
                "too narrow and bounds too high for their confidence; and ε is that of a record, "
                "not of a person."
            ),
        ),
        "no_people": Choice(label="they are not about people"),
    },
)
