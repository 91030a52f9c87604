"""What was tested and what was not, from below and from above, and what was left open."""

import json
from typing import Any

import numpy as np
import pytest

import dpviz
from dpviz import AttackScores, audit
from dpviz.reports.groups.tested import CLASSES
from dpviz.reports.material import report_data
from dpviz.reports.model import Field
from dpviz.reports.read import checked_report
from dpviz.reports.write import report_as, report_of

SMALL = ([0.1, 0.2, 0.3, 0.4], [0.25, 0.5, 0.6, 0.7])


def fields_of(result: dpviz.Result, **given: Any) -> dict[str, Field]:
    made = report_of(report_data(result, **given))
    [group] = (each for each in made.groups if each.name == "tested")
    return {field.name: field for field in group.fields}


@pytest.fixture(scope="module")
def audited() -> dpviz.Result:
    return dpviz.analyze(dpviz.read_sample("overfitted"), epsilon=1.0)


@pytest.fixture(scope="module")
def blind() -> audit.blind.AboveBlind:
    rng, scores = np.random.default_rng(0), dpviz.read_sample("overfitted")
    sizes = (scores.n_members, scores.n_nonmembers)
    tables = [rng.normal(size=(size, 2)) for size in sizes]
    return audit.blind.above_blind(scores, audit.blind.blind_baseline(*tables, n_resamples=99))


def test_every_class_was_run_or_not(audited: dpviz.Result) -> None:
    for result, run in ((audited, ["membership inference"]), (dpviz.analyze(epsilon=1.0), [])):
        found = fields_of(result)
        assert found["classes_run"].value == run
        assert sorted([*run, *found["classes_not_run"].value]) == sorted(CLASSES)


def test_attacks_have_the_names_that_people_gave(audited: dpviz.Result) -> None:
    assert fields_of(audited)["attacks_run"].value == ["an attack without a stated name"]
    about = {"attack": {"name": "LiRA"}, "tested": {"elsewhere": "model inversion, by others"}}
    several = dpviz.analyze(SMALL, compare={"RMIA": (SMALL[1], SMALL[0])})
    found = fields_of(several, about=about)
    assert found["attacks_run"].value == ["LiRA", "RMIA"]
    assert found["elsewhere"].value == "model inversion, by others"
    none = fields_of(dpviz.analyze(epsilon=1.0))["attacks_run"]
    assert (none.value, none.text) == (None, "no scores were given")


def test_what_was_shown_from_below_is_rounded_down(audited: dpviz.Result) -> None:
    found, advantage = fields_of(audited), audit.advantage(dpviz.read_sample("overfitted"))
    least = found["accuracy_at_least"]
    assert least.value == (1 + advantage.low) / 2
    assert (least.kind, least.confidence_level) == ("bound", 0.95)
    assert least.about.startswith("95 % confidence; balanced accuracy of this attack at its best")
    shown = float(least.shown.removeprefix("at least ").removesuffix(" %")) / 100
    assert shown <= least.value < shown + 0.001
    assert audited.sample is not None
    assert audited.sample.audit.bound is not None
    assert found["epsilon_at_least"].value == audited.sample.audit.bound.low
    assert (found["n_members"].value, found["n_nonmembers"].value) == (300, 1497)


def test_a_useless_and_a_reversed_attack_show_nothing_from_below() -> None:
    rng = np.random.default_rng(3)
    useless = AttackScores(member=rng.normal(size=200), nonmember=rng.normal(size=200))
    backwards = AttackScores(member=rng.normal(-2, 1, 200), nonmember=rng.normal(size=200))
    for scores in (useless, backwards):
        least = fields_of(dpviz.analyze(scores))["accuracy_at_least"]
        assert (least.value, least.shown) == (0.5, "at least 50 %")


def test_what_was_shown_from_above_is_rounded_up(audited: dpviz.Result) -> None:
    most = fields_of(audited)["accuracy_at_most"]
    advantage = audit.at_most(dpviz.read_sample("overfitted")).advantage
    assert most.value == pytest.approx((1 + advantage.high) / 2, abs=1e-12)
    assert (most.kind, most.confidence_level) == ("bound", 0.95)
    assert most.about.endswith("says nothing about other attacks, nor about the mechanism")
    shown = float(most.shown.removeprefix("at most ").removesuffix(" %")) / 100
    assert shown - 0.001 < most.value <= shown


def test_in_one_run_limits_say_what_they_assume() -> None:
    scores = dpviz.read_sample("overfitted")
    result = dpviz.analyze(scores, applies_to="mechanism", sampling="fair_coins")
    for name in ("accuracy_at_least", "accuracy_at_most"):
        said = fields_of(result)[name].about
        assert "the scores of one training run depend on each other" in said
    # Limits of `audit.at_most` do not hold there: those of the advantage stay.
    most = (1 + audit.advantage(scores).high) / 2
    assert fields_of(result)["accuracy_at_most"].value == most


def test_the_attack_stands_beside_the_blind_baseline(
    audited: dpviz.Result, blind: audit.blind.AboveBlind
) -> None:
    assert fields_of(audited)["blind_auc"].text == "no features of the records were given"
    found = fields_of(audited.with_answer("blind", blind))
    area, above = found["blind_auc"], found["above_blind_auc"]
    assert (area.value, area.low, area.high) == (
        blind.blind.auc.value,
        blind.blind.auc.low,
        blind.blind.auc.high,
    )
    assert (above.value, above.low, above.high) == (blind.auc.value, blind.auc.low, blind.auc.high)
    assert (
        found["above_blind_tpr"].label
        == "TPR at FPR 1 % of the attack minus that without the model"
    )
    for name in ("blind_auc", "above_blind_auc", "above_blind_tpr"):
        assert found[name].kind == "estimate"
    assert "approximate" in above.about
    assert "approximate" not in found["above_blind_tpr"].about
    assert found["blind_p_value"].value == blind.blind.p_value
    alone = fields_of(audited.with_answer("blind", blind.blind))
    assert alone["blind_auc"] == area
    assert "above_blind_auc" not in alone


def test_no_compliance_is_claimed(audited: dpviz.Result, blind: audit.blind.AboveBlind) -> None:
    page = report_as(".md", audited.with_answer("blind", blind)).decode()
    start = page.index("## What was tested, and what was not")
    part = page[start : page.index("\n## ", start + 1)].lower()
    assert "this report does not claim compliance with either" in part
    assert 'owasp aisvs 1.0, 11.2.5 ("attack accuracy does not exceed random guessing on' in part
    assert part.count("compl") == 1
    assert not {"safe", "anonymous", "passed", "satisfied"} & set(part.split())


def test_the_json_form_fits_the_schema(
    audited: dpviz.Result, blind: audit.blind.AboveBlind
) -> None:
    text = report_as(".json", audited.with_answer("blind", blind)).decode()
    found = checked_report("report", text)["tested"]
    assert found == json.loads(text)["tested"]
    assert 0.5 < found["accuracy_at_least"]["value"] < found["accuracy_at_most"]["value"] < 1
    damaged = json.loads(text)
    damaged["tested"]["accuracy_at_most"]["value"] = 2
    with pytest.raises(ValueError, match=r"tested\.accuracy_at_most"):
        checked_report("report", damaged)
    # A document that was written before the group existed is still read.
    del damaged["tested"]
    assert "tested" not in checked_report("report", damaged)
