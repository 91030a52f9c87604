"""Who chose the records or canaries."""

from dpviz.analysis.facts.question import Choice, Question

RECORD_CHOICE = Question(
    text="Who chose the records (or canaries) that are scored?",
    subject="record choice",
    choices={
        "random": Choice(label="chance: a random sample"),
        "auditor": Choice(
            label="the auditor: canaries",
            limit="canaries",
            effect=(
                "The records are canaries, chosen to be exposed: a claim about all records covers "
                "them, but attack rates and Epsilon* say nothing about ordinary records."
            ),
        ),
        "trainer": Choice(
            label="those who trained the model",
            limit="records chosen by those who trained the model",
            effect=(
                "Those who trained the model chose the records: records that are exposed more may "
                "have been left out."
            ),
        ),
    },
)
