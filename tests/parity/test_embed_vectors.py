"""What a page has to find in scores: current, and a bound that the default's own sums confirm."""

import json

import numpy as np
import pytest

from dpviz.audit.bounds.boundary_crossing import chance_that_walk_crosses
from tests.parity import embed_vectors, one_cut


def test_the_file_is_what_python_finds() -> None:
    written = json.loads(embed_vectors.FILE.read_text("utf-8"))
    made = {name: embed_vectors.case(embed_vectors.samples()[name]) for name in ("few", "perfect")}
    for name, wanted in made.items():
        found = written[name].pop("found"), wanted.pop("found")
        assert written[name] == wanted
        for one, other in zip(*found, strict=True):
            assert one["bound"] == pytest.approx(other["bound"], abs=1e-8)


@pytest.mark.parametrize(("n", "m", "first", "last"), [(12, 9, 0, 0), (8, 15, 0, 0), (12, 9, 2, 1)])
@pytest.mark.parametrize("epsilon", [0.0, 1.3])
def test_the_walk_crosses_as_often_as_in_the_default_test(
    n: int, m: int, first: int, last: int, epsilon: float
) -> None:
    rng = np.random.default_rng(n)
    cuts = np.arange(1, n + m)
    fewest = np.minimum(np.round(cuts * n / (n + m) + rng.uniform(1.5, 4, cuts.size)), n + 1)
    none, never = np.zeros_like(cuts), np.full(cuts.size, 10**6)
    limits = [fewest.astype(np.int64), never, never]
    leaks = [(first, last, 1.0)]
    wanted = chance_that_walk_crosses(
        cuts, none, limits, n, m, epsilon, leaks=leaks, negligible=1e-13
    )
    assert one_cut.crossing(fewest, n, m, epsilon, first, last) == pytest.approx(wanted, abs=1e-9)
    assert 0.01 < wanted < 1
