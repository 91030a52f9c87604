"""The packaged table of deployments."""

from dpviz import read_sample_registry
from dpviz.theory import ApproximateDP, PureDP, ZeroConcentratedDP


def test_the_table_of_deployments() -> None:
    found = {each.source: each for each in read_sample_registry()}
    kinds = [type(each.guarantee) for each in found.values() if each.guarantee is not None]
    assert (len(found), len(kinds)) == (41, 34)
    assert kinds.count(ZeroConcentratedDP) == 9
    assert set(kinds) == {PureDP, ApproximateDP, ZeroConcentratedDP}
    without = [each for each in found.values() if each.guarantee is None]
    assert [(e.epsilon, e.rho) for e in without if e.epsilon is not None] == [(0.01, None)]
    assert all(each.organisation and 2008 <= each.year <= 2026 for each in found.values())
