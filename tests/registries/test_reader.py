"""A reader of claims from another package, registered by one line."""

import sys
from pathlib import Path

import pytest

import dpviz
from dpviz.claims.registry import READERS
from dpviz.theory import GaussianDP

SOURCE = '''
"""The noise calculators of another package."""

from dpviz.claims.claim import Claim
from dpviz.claims.claim import ClaimReader
from dpviz.theory import GaussianDP

def read(calculator):
    guarantee = GaussianDP(mu=calculator.mu_of_the_day, adjacency="add_remove")
    return Claim(guarantee=guarantee, source="a calculator", states_adjacency=True)

CALCULATORS = ClaimReader(
    name="a calculator", accepts=lambda source: hasattr(source, "mu_of_the_day"), read=read
)
'''


class Calculator:
    mu_of_the_day = 0.7


def test_a_reader_from_another_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "calculators.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ValueError, match="source must be a claim, such as"):
        dpviz.read_claim(Calculator())
    from calculators import CALCULATORS  # type: ignore[import-not-found]

    monkeypatch.delitem(sys.modules, "calculators")
    monkeypatch.setattr("dpviz.claims.read.READERS", [*READERS, CALCULATORS])
    expected = GaussianDP(mu=0.7, adjacency="add_remove")
    assert dpviz.explore(claim=Calculator()).claim == expected
    assert "read from: a calculator" in str(dpviz.read_claim(Calculator()))
