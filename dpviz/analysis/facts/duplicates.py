"""Whether records stand in both sets."""

from dpviz.analysis.facts.question import Choice, Question

DUPLICATES = Question(
    text="Are there records, or near copies of them, among both members and non-members?",
    subject="duplicates",
    choices={
        "none": Choice(label="no, checked"),
        "some": Choice(
            label="yes",
            limit="duplicates in both sets",
            effect=(
                "Some non-members are copies of members: they hide leakage, so the attack looks "
                "weaker than it is. Copies are not independent draws either."
            ),
        ),
        "unchecked": Choice(
            label="not checked",
            limit="duplicates not checked",
            effect=(
                "Nobody checked for copies in both sets: they would hide leakage, and intervals "
                "would be too narrow."
            ),
        ),
    },
)
