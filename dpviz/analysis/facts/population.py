"""Whether members and non-members are from the same population."""

from dpviz.analysis.facts.question import Choice, Question

POPULATION = Question(
    text="Are members and non-members random draws from the same population?",
    subject="population",
    choices={
        "same": Choice(label="yes, split at random"),
        "different": Choice(
            label="no",
            limit="not the same population",
            effect=(
                "Members and non-members are not from the same population: what separates them may "
                "be the difference between the populations, not membership."
            ),
        ),
        "unknown": Choice(
            label="not known",
            limit="population not known",
            effect=(
                "Nobody knows whether members and non-members are from the same population: what "
                "separates them may be something else than membership."
            ),
        ),
    },
)
