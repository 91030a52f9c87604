"""Compared attacks in a result: parts, sentences, and errors that lose nothing."""

from pathlib import Path

import numpy as np
import pytest

import dpviz
from dpviz import Analysis, AttackScores, Spec, audit
from dpviz.analysis.attacks import Attacks
from dpviz.analysis.topics.attacks import band_outline
from dpviz.analysis.words import MOST_WORDS
from dpviz.drawing.axes import as_log10_odds

RNG = np.random.default_rng(11)
NOISE = RNG.normal(size=500)


def attack(leak: float, spread: float = 1.0) -> AttackScores:
    """200 members and 300 non-members, the same ones for every attack."""
    own = NOISE + 0.3 * RNG.normal(size=500)
    return AttackScores(member=spread * own[:200] + leak, nonmember=own[200:])


FIRST, STRONG, WIDE = attack(0.7), attack(2.5), attack(0.7, spread=2.5)


def result(**spec: object) -> dpviz.Result:
    return Analysis(FIRST).result(Spec.of(**{"fpr": 0.05, **spec}))


def test_one_sentence_says_which_curve_is_the_lowest_and_where_they_cross() -> None:
    said = result(compare={"LiRA": STRONG}).sentences["lowest"]
    assert said == (
        "LiRA has the lowest measured curve. If each attack may choose between two thresholds at "
        "random, no other compared attack catches more members at any FPR."
    )
    curves = [audit.AttackCurve.from_scores(scores) for scores in (FIRST, WIDE)]
    low, high = audit.comparison.lowest_curves(curves)
    assert (low.lowest, high.lowest) == (1, 0)
    crossed = result(compare={"wide": WIDE}).sentences["lowest"]
    assert crossed.startswith("Attack with the lowest measured curve: wide up to FPR ")
    assert len(crossed.split()) <= MOST_WORDS
    same = result(compare={"again": FIRST}).sentences["lowest"]
    assert same.startswith("All measured curves are equal")
    named = result(compare={"wide": WIDE}, naming="statistics").sentences["lowest"]
    assert named == crossed.replace("FPR ", "α = ")
    own_name = result(compare={"low FPR": STRONG}, naming="statistics").sentences["lowest"]
    assert own_name.startswith("low FPR has the lowest measured curve")
    weak = Analysis(STRONG).result(Spec.of(compare={"weak": FIRST})).sentences["lowest"]
    assert weak.startswith("This attack has the lowest measured curve")


def test_differences_are_paired_only_where_the_records_are_known_to_be_the_same() -> None:
    apart = result(compare={"LiRA": STRONG}).sentences["differences"]
    assert "It is unknown whether the attacks scored the same records" in apart
    paired = result(compare={"LiRA": STRONG}, same_records=True)
    found = paired.sample.attacks.compared[0]
    assert found.tpr_difference == audit.tpr_difference(FIRST, STRONG, 0.05, paired=True)
    assert found.auc_difference == audit.auc_difference(FIRST, STRONG, paired=True)
    assert "LiRA is better" in paired.sentences["differences"]
    assert "not known" not in paired.sentences["differences"]
    with pytest.raises(ValueError, match="same records for a paired test, got 200 and 1 members"):
        result(compare={"few": ([1.0], [2.0])}, same_records=True)


def test_two_columns_of_one_table_are_of_the_same_records(tmp_path: Path) -> None:
    path = tmp_path / "attacks.csv"
    rows = [f"{i % 7},{i % 5},{i % 2},{(i + 1) % 2}" for i in range(40)]
    path.write_text("\n".join(["loss,score,member,keep", *rows]))
    one = dpviz.read_scores(path, score="loss", member="member")
    other = dpviz.read_scores(path, score="score", member="member")
    turned = dpviz.read_scores(path, score="score", member="keep")
    for compared, is_paired in ((other, True), (turned, False)):
        shown = Analysis(one).result(Spec(compare={"score": compared}))
        assert shown.sample.attacks.compared[0].auc_difference.paired is is_paired


@pytest.mark.slow
def test_the_best_of_several_is_paid_for_in_one_sentence() -> None:
    analysis, spec = Analysis(FIRST), Spec.of(compare={"LiRA": STRONG, "wide": WIDE})
    assert analysis.result(spec).sentences["best_of"] == "The best of 3 attacks: not computed yet."
    analysis.prepare_audit(spec)
    shown = analysis.result(spec)
    found = audit.best_of({"this attack": FIRST, "LiRA": STRONG, "wide": WIDE}, delta=1e-5)
    assert {k: b.low for k, b in shown.sample.audit.best_of.bounds.items()} == {
        k: b.low for k, b in found.bounds.items()
    }
    assert shown.answer.attacks == tuple((k, found.bounds[k].low) for k in ("LiRA", "wide"))
    said = shown.sentences["best_of"]
    assert said.startswith(f"Best of 3 attacks: {found.name} certifies ε ≥ {found.low:.2f}"[:-1])
    assert "95 % confidence; each attack is tested at 98.3 % because the best is chosen" in said
    assert [row[0] for row in shown.tables["attacks"].rows] == ["this attack", "LiRA", "wide"]


def test_the_pinned_point_says_which_of_two_leaks_more() -> None:
    shown = Analysis().result(
        Spec.of(pinned_point=(0.1, 0.1), fpr=0.05, fnr=0.5, epsilon=2.5, delta=0.0)
    )
    # log(TPR / FPR): log 9 = 2.197, log 10 = 2.303
    assert shown.sentences["pinned_point"] == (
        "At δ = 0, the pinned point (FPR 10 %, FNR 10 %) needs ε ≥ 2.19. The current point needs "
        "ε ≥ 2.3: the current point leaks more."
    )
    assert Analysis().result(Spec()).sentences["pinned_point"] == ""


def test_the_box_of_the_point_holds_the_band_s_limits() -> None:
    some = float(result(fpr=None).sample.band.fpr[80])
    shown = result(fpr=some).sample
    box, band = shown.box, shown.band
    at = int(np.flatnonzero((band.fpr == shown.at_fpr.fpr) & (band.fnr == shown.at_fpr.fnr))[0])
    said = result(fpr=None).sentences["point_box"]
    assert "(95 % confidence, valid at all thresholds at once)" in said
    assert result(fnr=0.5).sentences["point_box"] == ""
    limits = (band.fpr_low, band.fpr_high, band.fnr_low, band.fnr_high)
    assert (box.fpr_low, box.fpr_high, box.fnr_low, box.fnr_high) == tuple(x[at] for x in limits)


def test_on_log_axes_the_curve_has_the_largest_tpr_at_its_fprs() -> None:
    curve = result().sample.attack.log_axes_curve
    thresholds = [*np.sort(FIRST.nonmember)[::-1], -np.inf]  # the k-th flags k of 300 non-members
    largest = [np.mean(FIRST.member > thresholds[round(300 * fpr)]) for fpr in curve[:, 0]]
    assert curve[:, 1].tolist() == pytest.approx(largest)
    assert curve[-1].tolist() == [1, 1]


def test_the_hull_is_convex_and_nowhere_above_the_curve() -> None:
    part = result().sample.attack
    slopes = np.diff(part.hull[:, 1]) / np.diff(part.hull[:, 0])
    assert (np.diff(slopes[np.isfinite(slopes)]) > 0).all()
    assert (np.interp(part.curve[:, 0], *part.hull.T) <= part.curve[:, 1] + 1e-12).mean() > 0.99


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (5, "compare must be a dict of scores by name, got 'a int'"),
        ({"": FIRST}, "compare must be names of 1 to 40 characters, got ''"),
        ({"a\x00": FIRST}, "compare must be names of 1 to 40 characters"),
        ({"this attack": FIRST}, "compare must be names other than 'this attack'"),
        ({1: FIRST}, "compare must be attacks whose names are text, got 1"),
        ({str(i): FIRST for i in range(6)}, "compare must be at most 5 attacks, got 6"),
        ({"a": FIRST, "a ": FIRST}, r"compare must be attacks with different names"),
        ({"LiRA": 3}, r"compare\['LiRA'\]: source must be a pair"),
    ],
)
def test_illegal_attacks_are_refused_by_name(given: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Attacks(given)


def test_illegal_points_and_attacks_without_scores_are_refused() -> None:
    with pytest.raises(ValueError, match=r"pinned_point must be in \[0, 1\], got 2"):
        Spec(pinned_point=(2.0, 0.0))
    with pytest.raises(ValueError, match="pinned_point must be a pair of FPR and FNR"):
        Spec(pinned_point=0.5)
    with pytest.raises(ValueError, match="same_records must be True, False or None, got 'yes'"):
        Spec(same_records="yes")
    with pytest.raises(ValueError, match=r"compare must be left out if there are no scores"):
        dpviz.analyze(compare={"LiRA": STRONG})


def test_an_attack_among_the_overlays_is_sent_where_it_is_compared() -> None:
    with pytest.raises(
        ValueError,
        match=r"overlays must be guarantees, got .*; pass the scores of attacks as compare",
    ):
        result(overlays=[STRONG])


def test_the_outline_of_a_band_has_at_most_512_vertices_and_stays_within_a_pixel() -> None:
    rng = np.random.default_rng(21)
    scores = AttackScores(member=rng.normal(1, 1, 100_000), nonmember=rng.normal(size=100_000))
    band = audit.curve_band(audit.AttackCurve.from_scores(scores), most=160)
    outline = band_outline(band, as_log10_odds)
    assert len(outline) <= 512
    all_vertices = np.vstack([as_log10_odds(band.lower), as_log10_odds(band.upper)])
    assert len(all_vertices) > 700
    # With so many records an axis has 12 decades, in the notebook on some 200 pixels.
    away = np.abs(all_vertices[:, None] - outline).max(axis=2).min(axis=1)
    assert away.max() <= 12 / 200
