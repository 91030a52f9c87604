"""Results as values: equal to their copies, printed in a few lines, plain data and tables."""

import copy
import dataclasses
import inspect
import json
import math
import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import dpviz
from dpviz import audit, theory
from dpviz.audit.epsilon_star import ratio_curves
from dpviz.audit.evidence import AttackRates, Checkpoints, Plan
from dpviz.audit.models.fleet import FleetModel
from dpviz.testing import check_auditor, check_mechanism
from dpviz.value_object import ValueObject, are_equal, short_repr

COLUMNS, LINES = 80, 6  # of a terminal; what a repr may take of it


def lines_on_a_terminal(text: str) -> int:
    return sum(max(1, math.ceil(len(line) / COLUMNS)) for line in text.split("\n"))


@cache
def scores() -> dpviz.AttackScores:
    rng = np.random.default_rng(0)
    groups = {"member_groups": ["a", "b"] * 50, "nonmember_groups": ["a", "b"] * 50}
    losses = {"member": rng.normal(0, 1, 100), "nonmember": rng.normal(2, 1, 100)}
    return dpviz.AttackScores.from_losses(**losses, **groups)


def fleet() -> audit.Fleet:
    models = [FleetModel(name=f"model {i}", scores=scores(), strategy="s") for i in range(5)]
    return audit.Fleet(models=models)


def plan() -> Plan:
    attack = AttackRates(fpr=0.01, fnr=0.5)
    return audit.plan(attack, epsilon=2, delta=0, method="clopper_pearson")


EXAMPLES: dict[str, Callable[[], Any]] = {
    "scores": scores,
    "binned": lambda: dpviz.BinnedScores.of(scores()),
    "claim": lambda: dpviz.read_claim((1.0, 1e-5)),
    "bound": lambda: audit.lower_bound(scores(), delta=1e-5),
    "claim test": lambda: audit.claim_test(scores(), theory.GaussianDP(mu=1.0)),
    "curve test": lambda: audit.curve_test(scores(), theory.GaussianDP(mu=1.0)),
    "curve": lambda: audit.AttackCurve.from_scores(scores()),
    "band": lambda: audit.curve_band(audit.AttackCurve.from_scores(scores())),
    "auc": lambda: audit.auc_interval(scores()),
    "advantage": lambda: audit.advantage(scores()),
    "at most": lambda: audit.at_most(scores()),
    "tpr": lambda: audit.tpr_at_fpr(scores(), 0.01),
    "epsilon star": lambda: audit.epsilon_star(scores(), delta=1e-5),
    "ratio curves": lambda: ratio_curves(scores(), delta=1e-5),
    "bootstrap": lambda: audit.bootstrap(scores(), delta=1e-5, n_resamples=20),
    "null": lambda: audit.null_distribution(scores(), delta=1e-5, n_resamples=100),
    "profile": lambda: audit.certified_profile(scores(), deltas=[0, 1e-3]),
    "certificate": lambda: audit.certify(auc="0.6", n_members=500, n_nonmembers=500),
    "plan": plan,
    "slices": lambda: audit.slices(scores(), delta=0),
    "fleet": fleet,
    "fleet's bounds": lambda: fleet().bounds(delta=0, together=True),
    "fleet's estimates": lambda: fleet().estimates(delta=1e-5),
    "best of": lambda: audit.best_of({"LiRA": scores(), "loss": scores()}, delta=0),
    "findings": lambda: dpviz.check_inputs(scores()),
    "auditor": lambda: check_auditor(
        lambda scores, **_: 0.1, cases=["null", "Laplace"], n_runs=3, n_compared=0
    ),
    "mechanism": lambda: check_mechanism(lambda data: sum(data), [([1, 2], [1])], "1.0,0"),
}


@cache
def example(name: str) -> Any:
    return EXAMPLES[name]()


@pytest.mark.parametrize("name", EXAMPLES)
def test_results_are_values(name: str) -> None:
    result = example(name)
    for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert other == result
        assert hash(other) == hash(result)
    assert result != 1
    assert 0 < lines_on_a_terminal(repr(result)) <= LINES
    assert str(result) == repr(result) or type(result).__str__ is not object.__str__


@pytest.mark.parametrize("name", EXAMPLES)
def test_notebooks_show_results_as_tables(name: str) -> None:
    result = example(name)
    table = ElementTree.fromstring(result._repr_html_())
    assert [row.findtext("th") for row in table.iter("tr")] == list(result.shown_fields())
    assert all(row.findtext("td") for row in table.iter("tr"))


def test_a_text_in_a_table_is_no_html() -> None:
    checked = dataclasses.replace(example("bound"), method="<b>bold</b>")
    assert "<b>" not in checked._repr_html_()


@pytest.mark.parametrize("name", EXAMPLES)
def test_results_are_data(name: str) -> None:
    result = example(name)
    plain = result.to_dict()
    assert plain["type"] == type(result).__name__
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    frame = result.to_frame()
    assert len(frame) >= 1
    assert frame.columns.is_unique
    assert not [column for column in frame if isinstance(frame[column].iloc[0], dict)]


def test_streams_print_their_verdict() -> None:
    claim = theory.PureDP(epsilon=1)
    stream, checkpoints = audit.Stream(claim), Checkpoints(claim)
    for i in range(9):
        checkpoints.update(f"step {i}", member=[1.0, 2.0], nonmember=[0.0])
    assert "verdict='not contradicted', pairs=0, wealth=1.0" in repr(stream)
    for each in (stream, checkpoints):
        assert lines_on_a_terminal(repr(each)) <= LINES


def test_all_results_of_audits_are_values() -> None:
    rooms = [audit, audit.bounds, audit.evidence, audit.models, audit.roc, audit.comparison]
    rooms.append(sys.modules["dpviz.audit.epsilon_star"])
    named = [getattr(room, name) for room in rooms for name in room.__all__]
    classes = [*dict.fromkeys(value for value in named if inspect.isclass(value))]
    results = [each for each in classes if dataclasses.is_dataclass(each)]
    others = [each.__name__ for each in results if each.__eq__ is not ValueObject.__eq__]
    assert others == ["OrderedFamily"]  # functions, of which no copy is known to be equal
    assert len(results) > 50


def test_numbers_of_a_bound_carry_their_level() -> None:
    bound = audit.lower_bound_from_counts(
        false_positives=0, n_nonmembers=100, false_negatives=20, n_members=100, delta=0.0
    )
    plain = bound.to_dict()
    # Clopper-Pearson with 0 of 100, and 20 of 100, each at 97.5 %: R's binom.test.
    fpr, fnr = plain["evidence"][0]["fpr_upper"], plain["evidence"][0]["fnr_upper"]
    assert (fpr, fnr) == (pytest.approx(0.03621669, abs=1e-8), pytest.approx(0.2918427, abs=1e-7))
    assert plain["low"] == pytest.approx(math.log((1 - fnr) / fpr), rel=1e-12)
    assert (plain["confidence_level"], plain["delta"]) == (0.95, 0.0)


def test_a_table_has_a_row_for_each_delta_model_and_group() -> None:
    profile = example("profile")
    frame = profile.to_frame()
    assert frame["deltas"].tolist() == profile.deltas.tolist()
    assert frame["epsilons"].tolist() == profile.epsilons.tolist()
    assert set(frame["confidence_level"]) == {0.95}
    assert example("fleet").to_frame()["name"].tolist() == [f"model {i}" for i in range(5)]
    bounds = example("slices").to_frame()["bound.low"].tolist()
    assert bounds == [each.bound.low for each in example("slices").rows]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Example(ValueObject):
    """A number, an array and a part that may be infinite or no number."""

    number: float
    array: np.ndarray
    part: Any = None


def test_equality_is_that_of_the_fields() -> None:
    nan = Example(number=math.nan, array=np.array([1.0, math.nan]))
    assert nan == Example(number=math.nan, array=np.array([1.0, math.nan]))
    for other in (
        Example(number=0.0, array=nan.array),
        Example(number=math.nan, array=np.array([1.0, 2.0])),
        Example(number=math.nan, array=np.array([[1.0, math.nan]])),
        Example(number=math.nan, array=nan.array, part={"a": np.arange(2)}),
    ):
        assert nan != other
    with_part = Example(number=1, array=nan.array, part={"a": [np.arange(2)]})
    assert with_part == Example(number=1.0, array=nan.array, part={"a": [np.arange(2)]})
    assert hash(with_part) == hash(dataclasses.replace(with_part, number=1.0))
    assert not are_equal((1, 2), (1, 2, 3))


def test_what_json_lacks_is_text_and_stays_a_number_in_tables() -> None:
    found = Example(number=math.inf, array=np.array([-math.inf, math.nan, 2.0]), part=nested())
    assert found.to_dict() == {
        "type": "Example",
        "number": "inf",
        "array": ["-inf", "nan", 2.0],
        "part": {"type": "Example", "number": 3, "array": [], "part": "GaussianDP(mu=1.0)"},
    }
    frame = found.to_frame()
    assert frame["number"].tolist() == [math.inf]
    assert frame["part.number"].tolist() == [3]


def nested() -> Example:
    return Example(number=3, array=np.array([]), part=theory.GaussianDP(mu=1.0))


def test_a_repr_has_the_ends_of_long_values() -> None:
    found = Example(number=1.5, array=np.arange(1000.0), part=dict.fromkeys(range(9), "x" * 200))
    assert repr(found).startswith("Example(number=1.5, array=[0.0, 1.0, ..., 999.0; 1000 in all], ")
    assert short_repr(np.zeros((4, 2))) == "array of shape (4, 2)"
    assert short_repr((1, 2, 3)) == "(1, 2, 3)"
    assert short_repr([1, 2, 3, 4]) == "[1, 2, ..., 4; 4 in all]"


def test_a_table_without_pandas_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="to_frame needs pandas: pip install pandas"):
        example("bound").to_frame()
