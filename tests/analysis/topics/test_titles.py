"""Titles that are findings: what they say of numbers, evidence and claims, and their pictures."""

import math
import re

import numpy as np
import pytest

import dpviz
from dpviz import Analysis, Result, Spec, read_sample, theory
from dpviz.analysis.topics.epsilon_star import EPSILON_STAR
from dpviz.analysis.topics.registry import SCENES
from dpviz.drawing.axes import rate_of
from dpviz.drawing.svg import SvgFrame, SvgHandle
from dpviz.theory import GaussianDP
from tests.slow import parametrize

BOARD = ("region", "tradeoff", "epsilon_star", "risk")
MOST_LETTERS = 50
SAMPLES = ("overfitted", "regularised", "gamma", "null")
# One of them says why a number outside is no contradiction.
WHY = ("estimate", "chance", "not contradicted", "undecided", "not tested")


@pytest.fixture(scope="module")
def analyses() -> dict[str, Analysis]:
    return {name: Analysis(read_sample(name)) for name in SAMPLES}


def audited(analysis: Analysis, **spec: object) -> Result:
    chosen = Spec.of(**spec)
    analysis.prepare_audit(chosen)
    return analysis.result(chosen)


@pytest.mark.parametrize("name", list(SCENES))
def test_axes_of_rates_read_in_percent_and_logarithmic_ones_end_at_powers_of_ten(name: str) -> None:
    for axis in (SCENES[name].x, SCENES[name].y):
        if re.search("TPR|FPR|FNR|PPV", axis.label):
            assert axis.is_rate
        if axis.scale == "log":
            ends = np.log10([axis.low, axis.high])
            assert ends == pytest.approx(np.round(ends))


def titles(result: Result) -> list[str]:
    return [SCENES[name].title_of(result) for name in BOARD]


def drawn(name: str, result: Result) -> SvgFrame:
    frame = SvgFrame(SCENES[name])
    frame.draw_layers(SCENES[name].layers(), result)
    return frame


def texts(frame: SvgFrame) -> list[str]:
    return [each.label.text for each in frame.labels()]


def is_cross(point: SvgHandle) -> bool:
    (path,) = re.findall('d="(M[^"]+)"', point.svg())
    return path.count("l") == 11  # sides but one


def test_without_scores_they_say_what_the_claim_allows() -> None:
    assert titles(dpviz.analyze(epsilon=1.0)) == [
        "What ε = 1 allows",
        "At FPR 1 %, attacks miss at least 97.2 %",
        "Epsilon*: an estimate for this trained model",
        "At most 73.2 % of flags are right",
    ]
    bare = titles(dpviz.analyze(epsilon=math.inf))
    assert set(bare) - {EPSILON_STAR.title} == {"Nothing is claimed: every attack is allowed"}


def test_with_scores_they_compare_the_attack_with_the_claim(analyses: dict[str, Analysis]) -> None:
    result = audited(analyses["overfitted"])
    assert titles(result) == [
        "The attack leaves the allowed region",
        "Attack misses 0 %; claim: ≥ 11.1 %",
        "Epsilon* 4.63; chance up to 2.02",
        "58.9 % of flags are right; limit 56.1 %",
    ]
    assert [SCENES[name].subtitle_of(result) for name in BOARD] == [
        "Error rates; blue is allowed",
        "Trade-off of the two errors",
        "Log ratios of rates (estimates)",
        "PPV (prior 50 %) and advantage",
    ]
    assert titles(audited(analyses["overfitted"], epsilon=5.0)) == [
        "Outside the region, perhaps by chance",
        "Estimate: 0 % missed; claim: ≥ 0.203 %",
        "Epsilon* 4.63; chance up to 2.02",
        "Estimated PPV 58.9 %; limit 58.9 %",
    ]
    assert titles(audited(analyses["overfitted"], epsilon=math.inf, fpr=0.1)) == [
        "Error rates of this attack",
        "The attack misses 90 % at FPR 9.95 %",
        "Epsilon* 4.63; chance up to 2.02",
        "50.1 % of flags are right",
    ]


def test_before_the_audit_they_say_so() -> None:
    result = Analysis(read_sample("overfitted")).result(Spec.of(epsilon=1.0))
    assert titles(result)[0] == "Outside the region? Not tested yet"
    assert titles(result)[2] == "Epsilon* 4.63"


def test_nobody_flagged_is_said() -> None:
    few = dpviz.AttackScores.from_losses(member=[2.0, 3.0], nonmember=[1.0, 4.0])
    assert titles(dpviz.analyze(few, fpr=0.0))[3] == "The attack flags nobody at this FPR"


@parametrize("sample", SAMPLES, slow_but=("overfitted", "null"))
@pytest.mark.parametrize("prior", [0.5, 0.001])
def test_the_title_has_the_numbers_of_the_readout(
    analyses: dict[str, Analysis], sample: str, prior: float
) -> None:
    result = audited(analyses[sample], prior=prior)
    limit, right = result.sentences["readout_right"].removeprefix("≤ ").split("|")
    found = re.findall(r"([\d.e-]+) %", titles(result)[3])
    assert found == [right.strip(), limit.strip()]


CLAIMS = [
    *({"epsilon": epsilon} for epsilon in (0.5, 1.0, 2.0, 5.0, 8.0)),
    {"epsilon": 5.0, "fpr": 0.01},
    {"epsilon": 1.0, "fpr": 0.01},
    {"claim": GaussianDP(mu=1.0)},
    {"claim": theory.LaplaceMechanism(epsilon=3.0)},
]


@parametrize("sample", SAMPLES, slow_but=("overfitted", "null"))
@pytest.mark.parametrize("claim", CLAIMS, ids=repr)
def test_outside_without_evidence_is_said_with_the_reason(
    analyses: dict[str, Analysis], sample: str, claim: dict[str, object]
) -> None:
    result = audited(analyses[sample], **claim)
    assert max(map(len, titles(result))) <= MOST_LETTERS
    is_contradicted = result.answer.state == "contradicted"
    for name in BOARD:
        found = [SCENES[name].title_of(result), *texts(drawn(name, result))]
        for text in found:
            if "outside" in text.lower() or "not allowed" in text or "leaves" in text:
                assert is_contradicted or any(why in text.lower() for why in WHY), text
    (point,) = (mark for mark in drawn("region", result).marks if isinstance(mark, SvgHandle))
    is_hollow = 'fill="none"' in point.svg()
    is_inside = result.point.admitted
    assert (is_cross(point)) == (is_contradicted and not is_inside)
    assert is_hollow == (not is_contradicted and not is_inside)
    assert is_hollow == result.is_outside_by_estimate


def test_a_chosen_point_outside_is_a_cross() -> None:
    result = dpviz.analyze(epsilon=1.0, fpr=0.1, fnr=0.1)
    (point,) = (mark for mark in drawn("region", result).marks if isinstance(mark, SvgHandle))
    assert is_cross(point)
    assert 'fill="none"' not in point.svg()


def test_the_band_is_named_with_its_level(analyses: dict[str, Analysis]) -> None:
    for level, text in ((0.95, "this attack (95 % band)"), (0.9, "this attack (90 % band)")):
        result = analyses["null"].result(Spec.of(confidence_level=level))
        for name in ("region", "tradeoff", "roc", "tail"):
            assert [each for each in texts(drawn(name, result)) if "band)" in each] == [text]


# ----- the picture of Epsilon*


def test_the_ruler_stands_upright(analyses: dict[str, Analysis]) -> None:
    result = audited(analyses["overfitted"])
    assert {"claimed 1", "certified ≥ 2.76", "chance", "Epsilon* 4.63"} <= set(
        texts(drawn("epsilon_star", result))
    )
    # What is not known, not above 0, of a fit or beyond the axis has no line.
    early = Analysis(read_sample("overfitted")).result(Spec.of(epsilon=1.0))
    assert not [t for t in texts(drawn("epsilon_star", early)) if "certified" in t or "≤" in t]
    nothing = texts(drawn("epsilon_star", audited(analyses["null"], epsilon=50.0)))
    assert not [text for text in nothing if "certified" in text or "claimed" in text]
    fitted = texts(drawn("epsilon_star", audited(analyses["overfitted"], method="normal")))
    assert "certified ≥ 2.76" in fitted
    assert not [text for text in fitted if "chance" in text]


@parametrize("sample", SAMPLES, slow_but=("overfitted", "null"))
def test_thresholds_on_top_stand_at_their_fprs(analyses: dict[str, Analysis], sample: str) -> None:
    result = analyses[sample].result(Spec.of())
    frame = drawn("epsilon_star", result)
    (name, *places), shown = sorted(frame.top.ticks), frame.top.ticks
    assert (name, shown[name]) == (frame.x.low, "loss t")
    assert (frame.top.low, frame.top.high) == (frame.x.low, frame.x.high)
    assert len(places) >= 2
    losses = -read_sample(sample).nonmember
    for place in places:
        fpr = np.mean(losses <= float(shown[place]))
        assert rate_of(place) == pytest.approx(fpr, rel=1e-9)
    apart = np.diff([name, *places])
    assert apart.min() >= 0.17 * (frame.x.high - frame.x.low) - 1e-9
