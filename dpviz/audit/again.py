"""Scores made of scores by chance: labels dealt out again, records drawn again, random halves."""

from collections.abc import Callable

import numpy as np

from dpviz.audit.ascending import Counts
from dpviz.audit.binned_scores import BinnedScores, Scores, refuse_too_many
from dpviz.audit.scores import AttackScores


def dealer(scores: Scores, rng: np.random.Generator) -> Callable[[], Scores]:
    """What deals the labels of members out at random, each time anew."""
    refuse_too_many(scores, "labels dealt out at random")
    if isinstance(scores, BinnedScores):
        return lambda: _dealt(scores, rng)
    pooled, kind = scores.pooled().values, scores.kind
    is_member = np.arange(pooled.size) < scores.n_members

    def dealt() -> Scores:
        rng.shuffle(is_member)
        return AttackScores.of_sorted(pooled[is_member], pooled[~is_member], kind=kind)

    return dealt


def drawn_again(scores: Scores, rng: np.random.Generator) -> Scores:
    """Both samples drawn with replacement from themselves."""
    if isinstance(scores, BinnedScores):
        member, nonmember = (
            rng.multinomial(counts.sum(), counts / counts.sum())
            for counts in (scores.member_counts, scores.nonmember_counts)
        )
        return scores.with_counts(member, nonmember)
    of_members, of_nonmembers = (
        np.repeat(sample.values, sample.drawn(rng))
        for sample in (scores.members, scores.nonmembers)
    )
    return AttackScores.of_sorted(of_members, of_nonmembers, kind=scores.kind)


def halves(scores: Scores, rng: np.random.Generator) -> tuple[Scores, Scores]:
    """The records in two random halves; the second has one more where they are odd.

    Each class needs two records at least.
    """
    refuse_too_many(scores, "random halves")
    if isinstance(scores, BinnedScores):
        member, nonmember = (
            _some(counts, int(counts.sum()) // 2, rng)
            for counts in (scores.member_counts, scores.nonmember_counts)
        )
        rest = scores.member_counts - member, scores.nonmember_counts - nonmember
        return scores.with_counts(member, nonmember), scores.with_counts(*rest)
    shuffled = [rng.permutation(values) for values in (scores.member, scores.nonmember)]
    first = [values[: values.size // 2] for values in shuffled]
    second = [values[values.size // 2 :] for values in shuffled]
    return (
        AttackScores(member=first[0], nonmember=first[1], kind=scores.kind),
        AttackScores(member=second[0], nonmember=second[1], kind=scores.kind),
    )


def _dealt(scores: BinnedScores, rng: np.random.Generator) -> BinnedScores:
    records = scores.member_counts + scores.nonmember_counts
    member = _some(records, scores.n_members, rng)
    return scores.with_counts(member, records - member)


def _some(counts: Counts, size: int, rng: np.random.Generator) -> Counts:
    """Of each cell, how many of its records are among so many that are drawn from all."""
    return rng.multivariate_hypergeometric(counts, size, method="marginals")
