"""The questions of the validity checklist, the possible answers, and how answers limit an audit."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # a spec has the answers
    from dpviz.analysis.spec import Spec

Scope = Literal["audit", "fixed threshold"]


@dataclass(frozen=True)
class AnswerOption:
    """A possible answer to a question; `limit` and `effect` are "" if the answer limits nothing."""

    label: str  # in a menu
    limit: str = ""  # how this choice limits the audit, in a few words
    effect: str = ""  # the same in a sentence


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question of the checklist, whose answer may limit the results of an audit."""

    text: str
    subject: str  # its name in the list of unanswered questions
    choices: Mapping[str, AnswerOption]  # the possible answers by key
    scope: Scope = "audit"  # what an answer limits
    assumed: "Callable[[Spec], str] | None" = None  # the answer that the settings of an audit imply
    mismatch: AnswerOption | None = None  # the texts of any other answer

    def chosen_option(self, answer: str, audit: "Spec") -> AnswerOption:
        """Return the option `answer`, with a warning if `audit` implies another answer."""
        stated = self.choices[answer]
        if self.assumed is None or self.mismatch is None or self.assumed(audit) == answer:
            return stated
        labels = {"stated": stated.label, "assumed": self.choices[self.assumed(audit)].label}
        texts = (self.mismatch.limit, self.mismatch.effect)
        return AnswerOption(stated.label, *(text.format(**labels) for text in texts))


# The questions in the order of the page. A new question needs only an entry here.
QUESTIONS: dict[str, Question] = {
    "population": Question(
        text="Are members and non-members random draws from the same population?",
        subject="same population",
        choices={
            "same": AnswerOption("yes, split at random"),
            "different": AnswerOption(
                "no",
                "not the same population",
                "Members and non-members are not from the same population: the attack may detect "
                "the difference between the populations, not membership.",
            ),
            "unknown": AnswerOption(
                "not known",
                "population not known",
                "It is unknown whether members and non-members are from the same population: the "
                "attack may detect a difference other than membership.",
            ),
        },
    ),
    "duplicates": Question(
        text="Do members and non-members share records or near copies of records?",
        subject="duplicates in both sets",
        choices={
            "none": AnswerOption("no, checked"),
            "some": AnswerOption(
                "yes",
                "duplicates in both sets",
                "Some non-members are copies of members. Such copies hide leakage, so the attack "
                "looks weaker than it is. Copies are also not independent draws.",
            ),
            "unchecked": AnswerOption(
                "not checked",
                "duplicates not checked",
                "Nobody checked for copies in both sets. Such copies would hide leakage and make "
                "intervals too narrow.",
            ),
        },
    ),
    "records_per_person": Question(
        text="How many of these records can belong to one person?",
        subject="records per person",
        choices={
            "one": AnswerOption("one at most"),
            "several": AnswerOption(
                "several",
                "several records per person",
                "Several records belong to one person, so records are not independent: intervals "
                "are too narrow, and lower bounds are too high for their confidence. The ε is that "
                "of a record, not of a person.",
            ),
            "no_people": AnswerOption("not about people"),
        },
    ),
    "record_choice": Question(
        text="Who chose the records (or canaries) that are scored?",
        subject="choice of records",
        choices={
            "random": AnswerOption("chance (a random sample)"),
            "auditor": AnswerOption(
                "the auditor (canaries)",
                "canaries",
                "The records are canaries, chosen to be exposed. A claim about all records covers "
                "canaries, but attack rates and Epsilon* say nothing about ordinary records.",
            ),
            "trainer": AnswerOption(
                "those who trained the model",
                "records chosen by those who trained the model",
                "Those who trained the model chose the records: more exposed records may have been "
                "left out.",
            ),
        },
    ),
    "attack": Question(
        text="Was the attack fixed before it saw these records?",
        subject="attack fixed in advance",
        choices={
            "fixed": AnswerOption("yes, one attack"),
            "best_of_several": AnswerOption(
                "no, the best of several",
                "the best of several attacks",
                "Several attacks were tried on these records, and the best attack is shown. "
                "Bounds, intervals and p-values hold only if the error probability is divided by "
                "the number of attacks (with 5 attacks at 95 % confidence: 1 % for each attack).",
            ),
            "tuned": AnswerOption(
                "no, tuned on these records",
                "attack tuned on these records",
                "The attack was tuned on these records and knows who is a member: bounds, "
                "intervals and p-values do not hold. Score records that the attack has not seen.",
            ),
        },
    ),
    "threshold": Question(
        text=(
            "If a bound uses one threshold, was this threshold fixed before anyone saw these "
            "records?"
        ),
        subject="threshold fixed in advance",
        scope="fixed threshold",
        choices={
            "fixed": AnswerOption("yes"),
            "all_thresholds": AnswerOption("no threshold is used"),
            "same_records": AnswerOption(
                "no, chosen on these records",
                "threshold chosen on these records",
                "The threshold was chosen on these records: bounds at a fixed threshold do not "
                "hold. Bounds over all thresholds hold.",
            ),
        },
    ),
    "tuning": Question(
        text="Does the claim cover all training runs, including those for tuning?",
        subject="tuning runs covered",
        choices={
            "counted": AnswerOption("yes, all runs"),
            "none": AnswerOption("one run, nothing was tuned"),
            "other_data": AnswerOption("tuned on other data"),
            "not_counted": AnswerOption(
                "no",
                "tuning runs not counted",
                "Runs for tuning used the same data and are not counted: the ε of all runs "
                "together is larger than the claimed ε.",
            ),
        },
    ),
    "whose_epsilon": Question(
        text="Is the claimed ε that of this trained model or that of the training method?",
        subject="ε of this model or of the method",
        choices={
            "instance": AnswerOption("that of this trained model"),
            "mechanism": AnswerOption("that of the training method"),
        },
        assumed=lambda audit: audit.applies_to,
        mismatch=AnswerOption(
            "",
            "the claimed ε is {stated}",
            "The claimed ε is {stated}, but these records bound {assumed}.",
        ),
    ),
    "adjacency": Question(
        text="How do neighbouring data sets of the claim differ?",
        subject="adjacency",
        choices={
            "add_remove": AnswerOption("one record more or less"),
            "replace_one": AnswerOption("one record replaced"),
            "zero_out": AnswerOption("one record's contribution set to zero"),
        },
        # The adjacency is that of the claim as entered, before any conversion.
        assumed=lambda audit: audit.claim.adjacency,
        mismatch=AnswerOption(
            "",
            "an adjacency other than that of the entered claim",
            "Neighbouring data sets are stated to differ by “{stated}”, but the claim was entered "
            "for “{assumed}”. With the same ε, these are different guarantees.",
        ),
    ),
}
