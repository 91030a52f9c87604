"""The numbers in sentences equal a recount with plain numpy; estimates are named, no verdicts."""

import math
import re
from decimal import ROUND_CEILING, Decimal

import numpy as np
import pytest

from dpviz import Analysis, AttackScores, Result, Spec
from dpviz.analysis.topic import IN_TITLE
from dpviz.analysis.topics.registry import SENTENCES
from dpviz.theory import ApproximateDP, PureDP

VERDICTS = (
    r"\b(safe|unsafe|good|bad|secure|insecure|violat\w*|breach\w*|fail\w*|pass\w*|danger\w*)\b"
)
SPECS = {
    "default": Spec(),
    "unequal": Spec.of(epsilon=2.0, delta=1e-3, prior=0.05, fpr=0.1),
    "fpr 0": Spec.of(fpr=0.0),
    "chosen": Spec.of(fpr=0.2, fnr=0.7),
    "normal": Spec.of(method="normal"),
    "losses themselves": Spec.of(method="normal", transform="none", clip=None),
    "mixture": Spec.of(method="mixture", components=2),
    "unclipped": Spec.of(clip=None),
    "clip 0": Spec.of(clip=0.0),
    "pure": Spec(claim=PureDP(epsilon=0.5)),
    "no guarantee": Spec.of(epsilon=math.inf),
    "delta 1": Spec.of(delta=1.0),
}
OFTEN_EMPTY = (
    *("warnings", "comparison", "cautions", "band"),
    *("implies", "other_order", "maximum_place", "at_one_percent", "reading"),
    *("checklist_stated", "checklist_effects", "at_most", "at_most_others"),
    *("large_delta", "pinned_point", "point_box", "lowest", "differences", "best_of"),
)
NUMBER = re.compile(r"-?∞|(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?")


def numbers(text: str) -> list[float]:
    """All numbers as they stand, the m1..m4 of ratio names left out."""
    return [float(found.replace("∞", "inf")) for found in NUMBER.findall(text)]


def recount(scores: AttackScores, fpr: float) -> tuple[float, int, int]:
    """Threshold, accused non-members and caught members: largest FPR <= fpr, ties together."""
    losses, others = -scores.member, -scores.nonmember
    best = (-math.inf, 0, 0)
    for tau in np.unique(np.r_[losses, others]):
        accused = int(np.sum(others <= tau))
        if accused / others.size <= fpr:
            best = (float(tau), accused, int(np.sum(losses <= tau)))
    return best


def rounded(*values: float) -> list[float]:
    return [float(f"{v:.3g}") for v in values]


@pytest.mark.parametrize("fpr", [0.0, 0.003, 0.01, 0.1, 0.5])
def test_setting_an_fpr_moves_counts_point_and_sentences_together(
    analysis: Analysis, scores: AttackScores, fpr: float
) -> None:
    result = analysis.result(Spec.of(fpr=fpr))
    tau, accused, caught = recount(scores, fpr)
    n, m = scores.n_members, scores.n_nonmembers
    assert result.sample is not None
    at = result.sample.at_fpr
    assert (at.original_threshold, at.false_positives, at.true_positives) == (tau, accused, caught)
    assert (result.point.fpr, result.point.fnr) == (accused / m, (n - caught) / n)
    assert result.point.source == "attack"
    found = numbers(result.sentences["scores"])
    rates = dict.fromkeys(rounded(100 * accused / m, 100 * fpr))  # an equal number is said once
    expected = [*rounded(tau), accused, m, *rates, caught, n]
    assert found[: len(expected)] == expected
    region = numbers(result.sentences["region"])
    assert region[:2] == rounded(100 * accused / m, 100 * (n - caught) / n)
    tradeoff = numbers(result.sentences["tradeoff"])
    assert tradeoff[-4:] == [*rounded(100 * caught / n), caught, n, *rounded(100 * accused / m)]


def test_region_and_implied_say_what_the_counts_imply(
    analysis: Analysis, scores: AttackScores
) -> None:
    spec = Spec.of(delta=1e-3, fpr=0.1)
    result = analysis.result(spec)
    _, accused, caught = recount(scores, 0.1)
    fpr, fnr = accused / scores.n_nonmembers, 1 - caught / scores.n_members
    pairs = [(1 - fnr, fpr), (1 - fpr, fnr), (fnr, 1 - fpr), (fpr, 1 - fnr)]
    implied = [math.log((top - 1e-3) / bottom) for top, bottom in pairs]
    found = re.findall(r"([\d.]+) from (\w+/\w+)", result.sentences["implied"])
    names = ("TPR/FPR", "TNR/FNR", "FNR/TNR", "FPR/TPR")
    shown = [(rates, *rounded(e)) for rates, e in zip(names, implied, strict=True) if e >= 0]
    assert [(rates, float(e)) for e, rates in found] == shown
    assert 0 < len(shown) < 4  # negative ones are no limits
    assert numbers(result.sentences["region"])[2:] == [1, 1e-3, *rounded(max(implied)), 1e-3]
    place = "outside" if max(implied) > 1 else "inside"
    assert f"this attack lies {place} the region" in result.sentences["region"]
    wider = analysis.result(spec.changed(epsilon=5.0)).sentences["region"]
    assert "this attack lies inside the region" in wider


def up(value: float) -> float:
    """Three significant digits, rounded up."""
    exponent = Decimal(value).adjusted() - 2
    return float(Decimal(value).quantize(Decimal(1).scaleb(exponent), rounding=ROUND_CEILING))


def test_tradeoff_and_risk_say_what_the_claim_permits(
    analysis: Analysis, scores: AttackScores
) -> None:
    result = analysis.result(Spec.of(epsilon=1.0, delta=1e-3, fpr=0.1, prior=0.05))
    permitted = 1e-3 + math.e * 0.1  # left of the kink
    ppv = permitted / (permitted + 19 * 0.1)
    _, accused, caught = recount(scores, 0.1)
    fpr, tpr = accused / scores.n_nonmembers, caught / scores.n_members
    reached = 0.05 * tpr / (0.05 * tpr + 0.95 * fpr)
    assert numbers(result.sentences["tradeoff"])[:4] == [1, 1e-3, 10, up(100 * permitted)]
    found = numbers(result.sentences["risk"])
    there = 1e-3 + math.e * fpr  # what is permitted at the realised FPR
    bounds = [100 * there / (there + 19 * fpr), there - fpr]
    said = [5, 1, 1e-3, up(100 * ppv), 10, up(permitted - 0.1), 100, 0]
    assert found[:8] == said
    assert found[8:11] == rounded(100 * fpr, 100 * reached, tpr - fpr)
    assert found[11:] == [up(bound) for bound in bounds]
    same = analysis.result(Spec.of(epsilon=1.0, delta=1e-3, fpr=fpr, prior=0.05))
    assert same.sentences["risk"].endswith("(estimates).")  # without the same limits again


def test_the_ppv_is_read_at_the_fpr_that_the_attack_realises(
    analysis: Analysis, scores: AttackScores
) -> None:
    spec = Spec.of(epsilon=1.0, delta=1e-3, fpr=0.1, prior=0.05)
    fpr = recount(scores, 0.1)[1] / scores.n_nonmembers
    assert round(fpr, 3) != 0.1
    odds = (1e-3 + math.e * fpr) / (19 * fpr)
    sentences = analysis.result(spec).sentences
    at = rounded(100 * fpr)
    assert numbers(sentences["risk_lead"]) == [5, up(100 * odds / (1 + odds)), *at]
    assert f"at FPR {at[0]:g} %" in sentences["odds"]
    chosen = analysis.result(spec.changed(fnr=0.5)).sentences
    assert "at FPR 10 %" in chosen["risk_lead"]


def test_epsilon_star_says_its_clip_cap_and_unclipped_value(
    analysis: Analysis, scores: AttackScores
) -> None:
    text = analysis.result(Spec.of(delta=1e-3, clip=0.01)).sentences["epsilon_star"]
    losses, others = -scores.member, -scores.nonmember
    best = {"clipped": 0.0, "all": 0.0}
    for tau in np.unique(np.r_[losses, others]):
        fpr, tpr = np.mean(others <= tau), np.mean(losses <= tau)
        tnr, fnr = np.mean(others > tau), np.mean(losses > tau)
        for top, bottom in [(tpr, fpr), (tnr, fnr), (fnr, tnr), (fpr, tpr)]:
            if top > 1e-3:
                value = math.log((top - 1e-3) / bottom) if bottom else math.inf
                best["all"] = max(best["all"], value)
                if min(fpr, tpr, tnr, fnr) > 0.01:
                    best["clipped"] = max(best["clipped"], value)
    cap = math.log((1 - 0.01 - 1e-3) / 0.01)
    assert math.isinf(best["all"]) == ("infinite" in text)
    unclipped = [] if math.isinf(best["all"]) else [best["all"]]
    assert numbers(text) == rounded(best["clipped"], 1e-3, 1, 99, 0.01, cap, *unclipped)


def test_no_clip_is_said_only_of_no_clip(analysis: Analysis) -> None:
    # A clip of 0 leaves out every threshold that flags nobody or everybody of a class.
    texts = [analysis.result(Spec.of(clip=clip)).sentences["epsilon_star"] for clip in (None, 0.0)]
    assert "∞" in texts[0] or "infinite" in texts[0]
    assert "every threshold counts" in texts[0]
    assert "every threshold counts" not in texts[1]
    assert "only thresholds that flag nobody or everybody are left out" in texts[1]


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
@pytest.mark.parametrize("loaded", [True, False])
def test_no_verdicts_and_no_gaps(analysis: Analysis, spec: Spec, loaded: bool) -> None:
    result: Result = (analysis if loaded else Analysis()).result(spec)
    for name, text in result.sentences.items():
        is_left_out = SENTENCES[name].about_claim and not result.is_claimed
        is_whole = SENTENCES[name].picture != IN_TITLE and not name.startswith("readout")
        assert text.endswith(".") == is_whole or (not text and (name in OFTEN_EMPTY or is_left_out))
        assert not re.search(VERDICTS, text, re.IGNORECASE)
        assert "nan" not in text
        assert "  " not in text


@pytest.mark.parametrize(
    "name", ["region", "implied", "tradeoff", "epsilon_star", "epsilon_star_lead", "risk"]
)
def test_measured_numbers_are_called_estimates(analysis: Analysis, name: str) -> None:
    assert "estimate" in analysis.result(Spec()).sentences[name]


@pytest.mark.parametrize("name", ["region", "tradeoff", "epsilon_star", "risk"])
def test_without_scores_nothing_is_called_an_estimate(name: str) -> None:
    assert "estimate" not in Analysis().result(Spec()).sentences[name]


@pytest.mark.parametrize("name", ["region", "tradeoff", "risk"])
def test_a_converted_claim_says_so(analysis: Analysis, name: str) -> None:
    claim = ApproximateDP(epsilon=1.0, delta=1e-5, adjacency="add_remove")
    for source, neighbours in ((analysis, None), (Analysis(), "replace_one")):
        text = source.result(Spec(claim=claim, neighbours=neighbours)).sentences[name]
        assert "converted to replace-one" in text
        assert "ε = 2, δ = 3.72e-5" in text
        assert "converted" not in source.result(Spec()).sentences[name]


def test_reversed_losses_are_said_to_go_against_the_attack(scores: AttackScores) -> None:
    turned = AttackScores.from_losses(member=scores.member, nonmember=scores.nonmember)
    text = Analysis(turned).result(Spec()).sentences["epsilon_star"]
    expected = (
        r"members have \w+ often .* m[34] in the paper\)\. This ratio is of the reversed attack"
    )
    assert re.search(expected, text)
    assert "against" not in Analysis(scores).result(Spec()).sentences["epsilon_star"]


def test_scores_are_spoken_of_as_scores(scores: AttackScores) -> None:
    raw = AttackScores(member=scores.member, nonmember=scores.nonmember)
    losses, own = (Analysis(s).result(Spec.of(fpr=0.1)).sentences["scores"] for s in (scores, raw))
    tau = recount(scores, 0.1)[0]
    assert f"when the loss is ≤ {tau:.3g}. " in losses
    assert f"when the score is ≥ {-tau:.3g}. " in own


@pytest.mark.parametrize(
    ("fpr", "fnr", "said"),
    [
        (0.5, 0.5, "every ε allows these rates at δ = 0.001."),
        (0.1, 0.0, "no finite ε allows these rates at δ = 0.001."),
        (0.1, 0.3, "these rates need ε ≥ 1.94 at δ = 0.001."),  # log(0.699/0.1) = 1.9445
    ],
)
def test_a_chosen_point_says_which_claims_admit_it(fpr: float, fnr: float, said: str) -> None:
    text = Analysis().result(Spec.of(delta=1e-3, fpr=fpr, fnr=fnr)).sentences["region"]
    assert text.endswith(said)
