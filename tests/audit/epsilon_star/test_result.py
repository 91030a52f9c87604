"""What a result says of how far the true maximum may be."""

from dpviz.audit.epsilon_star.suprema import RatioMaximum, RatioSuprema


def suprema(*log_ratios: float, fpr: float = 0.1, **more: float) -> RatioSuprema:
    places = {"fpr": fpr, "fnr": 0.2, "threshold": 0.5} | more
    maxima = tuple(RatioMaximum(log_ratio=each, **places) for each in log_ratios)
    return RatioSuprema(maxima=maxima, delta=0.0, clip=None, reason="")


def test_a_search_is_exact_unless_it_says_otherwise() -> None:
    assert suprema(1.0, 0.5, 0.2, 0.1).gap == 0.0
    assert suprema(1.0, 0.5, 0.2, 0.1, gap=0.25).gap == 0.25


def test_nothing_and_infinity_have_no_gap() -> None:
    nan, inf = float("nan"), float("inf")
    assert suprema(nan, nan, nan, nan, fpr=nan, gap=1.0).gap == 0.0
    assert suprema(inf, 0.5, 0.2, 0.1, gap=1.0).gap == 0.0
