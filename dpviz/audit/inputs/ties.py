"""Scores that repeat another one, as after up-sampling or rounding."""

import numpy as np

from dpviz.audit.inputs.finding import Finding, Inputs
from dpviz.audit.scores.attack_scores import AttackScores

NOTABLE = 0.05  # share of a class from which on repeated scores are notable


def ties(inputs: Inputs) -> list[Finding]:
    """Count the records of each class whose score another one of the class has."""
    scores = inputs.scores
    if not isinstance(scores, AttackScores):
        return []
    members, nonmembers = (
        int(np.count_nonzero(values[1:] == values[:-1]))
        for values in (scores.sorted_member, scores.sorted_nonmember)
    )
    share = max(members / scores.n_members, nonmembers / scores.n_nonmembers)
    is_notable = share >= NOTABLE
    meaning = (
        " Records that stand there several times are not independent draws." if is_notable else ""
    )
    return [
        Finding(
            question="records_per_person",
            is_notable=is_notable,
            sentence=(
                f"{members} of {scores.n_members} members and {nonmembers} of "
                f"{scores.n_nonmembers} non-members repeat a score of their class.{meaning}"
            ),
            numbers=(("repeated_members", members), ("repeated_nonmembers", nonmembers)),
        )
    ]
