"""Whether the claim is about the trained model or the training method."""

from dpviz.analysis.facts.question import Choice, Question

WHOSE_EPSILON = Question(
    text="Whose ε is claimed?",
    subject="owner of ε",
    choices={
        "instance": Choice(label="this trained model's"),
        "mechanism": Choice(label="the training method's"),
    },
    assumed=lambda audited: audited.applies_to,
    mismatch=Choice(
        label="",
        limit="the claimed ε is {stated}",
        effect="The claimed ε is {stated}; the one that these records bound is {assumed}.",
    ),
)
