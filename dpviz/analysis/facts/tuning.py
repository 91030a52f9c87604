"""Whether training runs for tuning are counted."""

from dpviz.analysis.facts.question import Choice, Question

TUNING = Question(
    text="Does the claim count all training runs, those for tuning too?",
    subject="tuning runs",
    choices={
        "counted": Choice(label="yes, all runs"),
        "none": Choice(label="one run, nothing was tuned"),
        "other_data": Choice(label="tuned on other data"),
        "not_counted": Choice(
            label="no",
            limit="tuning runs not counted",
            effect=(
                "Runs for tuning used the same data and are not counted: the ε of everything that "
                "was done is larger than the claimed one."
            ),
        ),
    },
)
