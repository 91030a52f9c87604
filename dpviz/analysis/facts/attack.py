"""Whether the attack was fixed beforehand."""

from dpviz.analysis.facts.question import Choice, Question

ATTACK = Question(
    text="Was the attack fixed before it saw these records?",
    subject="attack choice",
    choices={
        "fixed": Choice(label="yes, one attack"),
        "best_of_several": Choice(
            label="no, the best of several",
            limit="the best of several attacks",
            effect=(
                "Several attacks were tried on these records and the best one is shown: bounds, "
                "intervals and p-values hold only if the error rate is shared among all that were "
                "tried (for k attacks 5 % / k each, for 95 % confidence)."
            ),
        ),
        "tuned": Choice(
            label="no, tuned on these records",
            limit="attack tuned on these records",
            effect=(
                "The attack was tuned on these records and knows who is a member: bounds, "
                "intervals and p-values do not hold. Score records that it has not seen."
            ),
        ),
    },
)
