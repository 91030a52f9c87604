"""Lines for pages of one's own: `dpviz.embed` and `to_html(fragment=True)`."""

import json
from pathlib import Path
from textwrap import indent
from typing import Any

import numpy as np
import pytest

import dpviz
from dpviz.analysis import Analysis, Spec
from dpviz.audit import AttackScores
from dpviz.data import read_sample
from dpviz.theory import GaussianDP, GaussianMechanism, LaplaceMechanism, PureDP
from dpviz.widgets import GuessView, RegionView

SCRIPT = '<script type="module" src="dpviz.mjs"></script>\n'
REGION = f'{SCRIPT}<dpviz-region epsilon="1" delta="1e-5"></dpviz-region>\n'
MODULE = Path(dpviz.__file__).with_name("static") / "dpviz.mjs"


@pytest.mark.parametrize(
    ("form", "lines"),
    [
        ("html", REGION),
        ("quarto", f"```{{=html}}\n{REGION}```\n"),
        ("reveal", f"<section>\n{REGION}</section>\n"),
        (
            "myst",
            ':::{anywidget} dpviz.mjs\n{"view": "region", "epsilon": 1.0, "delta": 1e-05}\n:::\n',
        ),
    ],
)
def test_each_kind_of_page_has_its_lines(form: str, lines: str) -> None:
    assert dpviz.embed(epsilon=1.0, delta=1e-5, view="region", form=form) == lines


def test_the_documentation_has_the_lines_for_quarto() -> None:
    page = Path(__file__).parents[2] / "docs" / "how-to" / "embed.md"
    lines = dpviz.embed(epsilon=1.0, delta=1e-5, view="region", form="quarto")
    assert indent(lines, "    ") in page.read_text("utf-8")


def test_scores_become_ranks() -> None:
    # Of the values 0.1 < 0.3 < 0.9, with the places 0, 1 and 2; the last is the first member.
    result = dpviz.analyze([0.3, 0.1, 0.3], [0.9, 0.3], epsilon=2.0, prior=0.1, fpr=0.05)
    lines = dpviz.embed(result, form="myst").splitlines()
    assert json.loads(lines[1]) == {
        **{"view": "board", "epsilon": 2.0, "delta": 1e-5, "prior": 0.1, "fpr": 0.05},
        "scores": {"kind": "loss", "members": [1, 1, 0], "nonmembers": [2, 1]},
    }
    high = dpviz.analyze(
        AttackScores(member=np.array([3.0, 2.0]), nonmember=np.array([2.0])), epsilon=2.0
    )
    state = json.loads(dpviz.embed(high, form="myst").splitlines()[1])
    assert state["scores"] == {"kind": "score", "members": [0, 1], "nonmembers": [0]}


def test_other_claims_have_their_numbers() -> None:
    drawn = Analysis(AttackScores(member=np.ones(1), nonmember=np.zeros(1))).result(
        Spec(tested=False)
    )
    assert 'mu="0.5" delta="1e-5"' in dpviz.embed(claim=GaussianDP(mu=0.5))
    assert 'epsilon="inf"' in dpviz.embed(drawn)
    assert 'epsilon="3" delta="0"' in dpviz.embed(claim=PureDP(epsilon=3.0))


def test_a_still_stands_where_no_script_runs(tmp_path: Path) -> None:
    lines = dpviz.embed(epsilon=2.0, view="people", form="markdown", folder=tmp_path)
    said = "At FPR 1 %, ε = 2 lets an attack catch at most 7.4 % of the members."
    assert f'">\n<img src="dpviz-people.svg" alt="{said}">\n</dpviz-people>' in lines
    assert {each.name for each in tmp_path.iterdir()} == {"dpviz.mjs", "dpviz-people.svg"}
    assert (tmp_path / "dpviz.mjs").read_bytes() == MODULE.read_bytes()
    assert (tmp_path / "dpviz-people.svg").read_text("utf-8").startswith("<svg ")


def test_an_explorer_and_its_views_write_their_lines() -> None:
    assert RegionView(epsilon=1.0).to_html(fragment=True) == REGION
    explorer = dpviz.explore(read_sample("overfitted"), epsilon=1.0, layout=("region",))
    lines = explorer.to_html(fragment=True)
    assert lines == dpviz.embed(explorer.result)
    assert lines.startswith(f'{SCRIPT}<dpviz-board epsilon="1" delta="1e-5" scores=')
    assert explorer.to_html().startswith("<!DOCTYPE html>")
    with pytest.raises(ValueError, match="fragment must be False for a GuessView"):
        GuessView().to_html(fragment=True)


PAGE = "for a page without Python, got"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"view": "regin"}, "view must be one of 'region', 'tradeoff', "),
        ({"form": "pdf"}, "form must be one of 'html', "),
        ({"module": "a b"}, "module must be a URL without spaces, got 'a b'"),
        ({"claim": LaplaceMechanism(epsilon=1.0)}, f"not converted to replace-one, {PAGE} Laplace"),
        ({"claim": GaussianMechanism(noise_multiplier=1.0)}, "save_html of an explorer writes"),
        ({"epsilom": 1.0}, "did you mean 'epsilon'"),
    ],
)
def test_bad_input_is_one_sentence(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence) as error:
        dpviz.embed(**given)
    assert "\n" not in str(error.value)


def test_what_the_page_would_compute_otherwise_is_refused() -> None:
    few = Analysis(AttackScores(member=np.ones(1), nonmember=np.zeros(1)))
    cases: list[tuple[dict[str, Any], str]] = [
        ({"confidence_level": 0.9}, f"confidence_level must be 0.95 {PAGE} 0.9"),
        ({"sampling": "fixed_split"}, f"sampling must be None {PAGE} 'fixed_split'"),
        ({"overlays": [PureDP(epsilon=3.0)]}, rf"overlays must be \(\) {PAGE} \(PureDP"),
        ({"method": "normal"}, f"method must be 'empirical' {PAGE} 'normal'"),
    ]
    for given, sentence in cases:
        with pytest.raises(ValueError, match=sentence):
            dpviz.embed(few.result(Spec.of(epsilon=1.0, **given)))
    many = Analysis(AttackScores(member=np.zeros(50_000), nonmember=np.ones(50_001)))
    with pytest.raises(ValueError, match=f"at most 100000 records {PAGE} 100001"):
        dpviz.embed(many.result(Spec()))
    with pytest.raises(ValueError, match="must be given without prior"):
        dpviz.embed(dpviz.analyze(epsilon=1.0), prior=0.1)


def test_an_address_stays_an_address() -> None:
    assert 'src="a&quot;&gt;&lt;b>' not in dpviz.embed(module='"><b')
    assert 'src="&quot;&gt;&lt;b"' in dpviz.embed(module='"><b')
