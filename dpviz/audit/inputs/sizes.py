"""Whether there are many more members than non-members, or the other way round."""

from dpviz.audit.inputs.finding import Finding, Inputs
from dpviz.audit.scores.description import IMBALANCE


def sizes(inputs: Inputs) -> list[Finding]:
    """Compare the numbers of members and non-members."""
    n, m = inputs.scores.n_members, inputs.scores.n_nonmembers
    differ = max(n, m) > IMBALANCE * min(n, m)
    how = "The classes differ much in size" if differ else "The sizes of the classes"
    return [
        Finding(
            question="record_choice",
            is_notable=differ,
            sentence=f"{how}: {n} members, {m} non-members.",
            numbers=(("n_members", n), ("n_nonmembers", m)),
        )
    ]
