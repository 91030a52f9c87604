import numpy as np
from hypothesis import given

from dpviz.audit import AttackScores, BinnedScores
from dpviz.audit.upper_limits.thresholds import reached_counts
from tests.audit.oracles import tied_losses


@given(member=tied_losses, nonmember=tied_losses)
def test_counts_are_those_of_every_threshold(member: list[float], nonmember: list[float]) -> None:
    scores = AttackScores(member=member, nonmember=nonmember)
    counts = reached_counts(scores)
    values = np.unique([*member, *nonmember])
    thresholds = [*values, *(values[1:] + values[:-1]) / 2, -np.inf, np.inf]
    wanted = {(sum(s >= t for s in member), sum(s >= t for s in nonmember)) for t in thresholds}
    found = set(zip(counts.x.tolist(), counts.y.tolist(), strict=True))
    assert found == wanted
    assert {(0, 0), (len(member), len(nonmember))} <= found


def test_exchanged_counts_are_of_rejected_records() -> None:
    scores = AttackScores(member=[2, 3, 4], nonmember=[1, 2])
    swapped = reached_counts(scores).exchanged()
    lower = AttackScores(member=[-1, -2], nonmember=[-2, -3, -4])  # strictly below a threshold
    found = set(zip(swapped.x.tolist(), swapped.y.tolist(), strict=True))
    assert found == {(2, 3), (2, 2), (2, 1), (2, 0), (1, 0), (0, 0)} & found
    assert (swapped.n_members, swapped.n_nonmembers) == (2, 3)
    assert found == set(
        zip(
            *(each.tolist() for each in (reached_counts(lower).x, reached_counts(lower).y)),
            strict=True,
        )
    )


def test_thresholds_inside_cells_are_allowed_for() -> None:
    rng = np.random.default_rng(0)
    scores = AttackScores(member=rng.normal(size=200), nonmember=rng.normal(size=150))
    fine, coarse = reached_counts(scores), reached_counts(BinnedScores.of(scores, bits=12))
    assert coarse.n_inside_cells > 0
    for x, y in zip(fine.x.tolist(), fine.y.tolist(), strict=True):
        assert np.any((coarse.x >= x) & (coarse.y <= y))
    sample = coarse.of_sample()
    assert sample.n_inside_cells == 0
    assert set(zip(sample.x.tolist(), sample.y.tolist(), strict=True)) <= set(
        zip(fine.x.tolist(), fine.y.tolist(), strict=True)
    )


def test_whole_numbers_in_cells_have_no_thresholds_inside() -> None:
    scores = AttackScores(member=[1, 2, 2], nonmember=[0, 1])
    assert reached_counts(BinnedScores.of(scores, bits=16)).n_inside_cells == 0
