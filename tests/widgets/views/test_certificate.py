"""The picture of a published number: what chance gives, what epsilon allows, what is certified."""

import bqplot
import numpy as np
import pytest
from scipy.stats import hypergeom

from dpviz import audit
from dpviz.widgets import CertificateView

SIZES = {"n_members": 300, "n_nonmembers": 500}


def places(view: CertificateView) -> list[np.ndarray]:
    marks = [each for each in view.frame.figure.marks if isinstance(each, bqplot.Lines)]
    return [np.column_stack([mark.x, mark.y]) for mark in marks]


def folded(view: CertificateView) -> str:
    _line, inside = view.children[-1].children
    return str(inside.children[0].value)


def test_the_curve_begins_at_chance_and_passes_through_what_is_certified() -> None:
    found = audit.certify(precision="0.60", k=50, **SIZES)
    view = CertificateView(found)
    allowed, published, certified = places(view)
    # Without any leak the members among the first 50 are hypergeometric.
    chance = hypergeom(800, 300, 50).isf(0.05) + 1
    assert allowed[0].tolist() == [0, chance / 50]
    assert np.all(np.diff(allowed, axis=0) >= 0)
    assert published[:, 1].tolist() == [0.595, 0.595, 0.605, 0.605]
    assert certified[0].tolist() == [found.low, 30 / 50]  # no other count is printed so
    assert [found.low, 30 / 50] in allowed.tolist()
    y = view.frame.figure.marks[0].scales["y"]
    assert all(y.min <= drawn[:, 1].min() for drawn in places(view))
    assert all(drawn[:, 1].max() <= y.max for drawn in places(view))
    for epsilon, number in allowed[[1, -1]]:
        other = audit.certify(precision=float(number), k=50, **SIZES)
        assert other.low == pytest.approx(epsilon, rel=0.01)


def test_nothing_is_drawn_as_certified_where_nothing_is() -> None:
    view = CertificateView(audit.certify(auc="0.50", **SIZES))
    allowed, _ = places(view)
    assert allowed[-1, 1] == pytest.approx((allowed[0, 1] + 1) / 2, abs=1e-4)  # half way to 1
    assert view.sentence == (
        "AUC 0.50 (read as 0.495 or more) on 300 members and 500 non-members certifies nothing at "
        "δ = 0 (95 % confidence): chance alone gives a number as large too often."
    )
    few = CertificateView(audit.certify(tpr=1.0, fpr=0.0, n_members=2, n_nonmembers=2))
    assert places(few)[0][:, 1].tolist() == [1, 1]
    assert "4 members and 4 non-members are the fewest that can" in few.sentence


def test_rates_are_in_percent_and_a_leak_of_delta_is_not_called_chance() -> None:
    text = CertificateView(audit.certify(tpr="20 %", fpr="1 %", delta=0.01, **SIZES)).svg()
    for words in (
        "What does this TPR prove?",
        "TPR at FPR 1 %",
        "chance and δ: below ",
        "19.5 % or",
    ):
        assert words in text
    assert "δ alone" not in text  # the least part of it


def test_what_is_assumed_is_folded_below_the_sentence() -> None:
    view = CertificateView(audit.certify(auc="0.60", **SIZES))
    assert "Assumed: members are independent" in folded(view)
    assert folded(view) not in view.sentence


def test_bad_input_is_named() -> None:
    with pytest.raises(TypeError, match=r"found must be a Certificate, got float"):
        CertificateView(0.6)  # type: ignore[arg-type]
