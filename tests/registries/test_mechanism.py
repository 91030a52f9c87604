"""A mechanism from another package, registered by one line, is known wherever mechanisms are.

Logistic noise implements `_beta`, `_tpr` and `outputs`; all else follows numerically.
"""

import json
import math
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import dpviz
from dpviz import theory
from dpviz.analysis.claims.menu import ENTRIES, MenuEntry, fields_of_menu_choice, menu_key
from dpviz.analysis.state.code import python_code
from dpviz.analysis.state.json_state import from_state, state_of
from dpviz.analysis.topics.claim import short_name
from dpviz.cli import main
from dpviz.theory import MECHANISMS
from dpviz.theory.tradeoff import Adjacency
from tests.registries.logistic_noise import LogisticMechanism

ROOT = Path(__file__).parents[2]
CLAIM = LogisticMechanism(scale=0.5)
COLLECTED = [
    "tests/laws",
    "tests/theory/test_likelihood_ratio_test.py",
    "tests/theory/test_outputs.py",
    "tests/analysis/claims",
    "tests/analysis/state/test_json_state.py",
]


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(MECHANISMS, "logistic", LogisticMechanism)


def test_unregistered_it_is_not_known() -> None:
    assert not hasattr(theory, "LogisticMechanism")
    with pytest.raises(ValueError, match=r"claim must be of a class in dpviz.theory.MECHANISMS"):
        state_of(dpviz.Spec(claim=CLAIM))


def test_theory_the_state_and_the_code_have_it(registered: None) -> None:
    assert theory.LogisticMechanism is LogisticMechanism
    spec = dpviz.Spec(claim=CLAIM, overlays=[LogisticMechanism(scale=2.0)])
    state = json.loads(json.dumps(state_of(spec)))
    assert state["spec"]["claim"]["type"] == "logistic"
    assert from_state(state)[0] == spec
    assert "claim=theory.LogisticMechanism(scale=0.5)" in python_code(spec)


def test_the_command_has_it(registered: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert dpviz.read_claim("logistic:scale=0.5").guarantee == CLAIM
    with pytest.raises(SystemExit):
        main(["audit", "--help"])
    assert "  logistic            scale\n" in capsys.readouterr().out


def test_the_explorer_and_a_saved_page_have_it(registered: None, tmp_path: Path) -> None:
    explorer = dpviz.explore(claim=CLAIM)
    assert "theory.LogisticMechanism(scale=0.5)" in explorer.code()
    assert type(explorer).from_state(explorer.state()).state() == explorer.state()
    explorer.save_html(tmp_path / "page.html")
    assert "LogisticMechanism b = 0.5" in (tmp_path / "page.html").read_text("utf-8")


def test_the_menu_has_it(registered: None, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = MenuEntry(
        title="logistic noise", short="logistic", start=lambda s: {"scale": 1 / s.epsilon}
    )
    monkeypatch.setitem(ENTRIES, "logistic", entry)
    spec = dpviz.Spec()
    claim = spec.changed(**fields_of_menu_choice("logistic", spec)).claim
    assert claim == LogisticMechanism(scale=1.0)
    assert menu_key(claim) == "logistic"
    assert short_name(claim) == "logistic b = 1"


def test_numeric_defaults_are_those_of_the_closed_form() -> None:
    # The loss at the output x is 2 log((1 + e^-x) / (1 + e^(s - x))) + s for a shift of s scales.
    shift, x = 1 / CLAIM.scale, np.linspace(-3, 5, 33)
    losses = 2 * np.log((1 + np.exp(-x)) / (1 + np.exp(shift - x))) + shift
    beyond, member_beyond = 1 / (1 + np.exp(x)), 1 / (1 + np.exp(x - shift))
    np.testing.assert_allclose(CLAIM.fpr_of_loss(losses), beyond, rtol=1e-10)
    deltas = member_beyond - np.exp(losses) * beyond
    np.testing.assert_allclose(CLAIM.delta(losses), deltas, rtol=0, atol=1e-14)
    assert CLAIM.epsilon(0.0) == pytest.approx(shift, rel=1e-6)
    assert math.isclose(CLAIM.delta(0.0), np.tanh(shift / 4), rel_tol=1e-14)


@pytest.mark.slow
def test_the_laws_and_all_other_tests_over_the_registry_collect_and_pass() -> None:
    plugin = "tests.registries.logistic_noise.registered"
    command = [sys.executable, "-m", "pytest", "-q", "-p", plugin, "-k", "logistic", *COLLECTED]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr
    assert int(run.stdout.split(" passed")[0].split()[-1]) > 60


def test_a_mechanism_needs_no_more_than_its_fnr() -> None:
    @dataclass(frozen=True, kw_only=True, repr=False)
    class OfItsFnr(theory.TradeoffFunction):
        adjacency: Adjacency = "replace_one"

        def _beta(self, alpha: np.ndarray) -> np.ndarray:
            return np.asarray(CLAIM.beta(alpha))

    fpr = np.array([0.0, 1e-6, 0.01, 0.5, 1.0])
    np.testing.assert_allclose(OfItsFnr().tpr(fpr), CLAIM.tpr(fpr), rtol=1e-9)
