"""Whether a threshold was fixed beforehand."""

from dpviz.analysis.facts.question import Choice, Question

THRESHOLD = Question(
    text="If a bound uses one threshold: was it fixed before anyone saw these records?",
    subject="threshold choice",
    scope="fixed threshold",
    choices={
        "fixed": Choice(label="yes"),
        "all_thresholds": Choice(label="no threshold is used"),
        "same_records": Choice(
            label="no, chosen on these records",
            limit="threshold chosen on these records",
            effect=(
                "The threshold was chosen on these records: bounds at a fixed threshold do not "
                "hold. Bounds over all thresholds do."
            ),
        ),
    },
)
