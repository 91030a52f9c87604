"""The point of the region, and that of the opposite answers."""

from dpviz import analyze
from dpviz.analysis.topics.region import REGION, FlippedPoint
from dpviz.drawing.svg import SvgFrame, SvgPoints
from dpviz.theory import PrivacyRegion


def test_the_point_of_flipped_answers_is_among_the_further_marks() -> None:
    result = analyze(epsilon=1.0, fpr=0.8, fnr=0.7)
    for show_extra in (False, True):
        frame = SvgFrame(REGION, show_extra=show_extra)
        point = FlippedPoint()
        frame.draw_layers([point], result)
        (mark,) = point.marks_by_name().values()
        assert isinstance(mark, SvgPoints)
        assert mark.is_shown is show_extra
    ((fpr, fnr, _),) = mark.points
    assert (round(fpr, 12), round(fnr, 12)) == (0.2, 0.3)
    # The three printed constraints of source 000 allow (0.8, 0.7); its mirror shows the fourth.
    region = PrivacyRegion(epsilon=1.0, delta=0.0)
    assert not region.contains(fpr=0.8, fnr=0.7)
    assert not region.contains(fpr=0.2, fnr=0.3)


def test_without_a_claim_only_the_attack_s_own_point_is_called_measured() -> None:
    losses = [0.5, 1.5], [1.0, 2.0]
    lead = analyze(losses).sentences["region_lead"]
    assert "this attack misses" in lead
    assert lead.endswith(" of the members (an estimate).")
    chosen = analyze(losses, fpr=0.5, fnr=0.25).sentences["region_lead"]
    assert chosen.startswith("The point has FPR 50 % and FNR 25 %: ")
