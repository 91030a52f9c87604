"""Fixed figures of simulations: what is sent, and that it is what was found."""

import re
from collections.abc import Iterable
from pathlib import Path

import bqplot
import numpy as np
import pytest

from dpviz.audit.epsilon_star.fits import KsByComponents
from dpviz.audit.epsilon_star.resampling import GammaSimulation, gamma_simulation, ratio_noise
from dpviz.widgets.views.simulation import SimulationView


@pytest.fixture(scope="module")
def simulation() -> GammaSimulation:
    return gamma_simulation(sizes=(300, 1000), shifts=(0, 2), n_resamples=3)


@pytest.fixture
def tests_of_fit() -> KsByComponents:
    return KsByComponents(
        p_values=np.array([[0.01, 0.9], [0.2, 0.8]]),
        two_sample_p_values=np.array([[0.04, 0.7], [0.6, 0.5]]),
        n_held_out=(100, 200),
    )


def lines(view: SimulationView) -> list[bqplot.Lines]:
    return [mark for mark in view.frame.figure.marks if isinstance(mark, bqplot.Lines)]


def scatters(view: SimulationView) -> list[bqplot.Scatter]:
    return [mark for mark in view.frame.figure.marks if isinstance(mark, bqplot.Scatter)]


def heights(marks: Iterable[bqplot.Mark]) -> list[list[float]]:
    return [np.asarray(mark.y).tolist() for mark in marks]


def said(view: SimulationView) -> str:
    return " ".join(child.value for child in view.children if hasattr(child, "value"))


def assert_drawable(view: SimulationView) -> None:
    x, y = view.frame.x, view.frame.y
    for mark in view.frame.figure.marks:
        assert mark.visible
        assert mark.x.size == mark.y.size <= 512
        assert np.isfinite(mark.x).all()
        assert np.isfinite(mark.y).all()
        assert x.low <= mark.x.min() <= mark.x.max() <= x.high
        assert y.low <= mark.y.min() <= mark.y.max() <= y.high


def test_over_sizes_draws_means_whiskers_and_the_truth(simulation: GammaSimulation) -> None:
    view = SimulationView.over_sizes(simulation, shift=2)
    assert_drawable(view)
    own = [simulation.of(method="empirical", n=n, shift=2) for n in (300, 1000)]
    drawn = heights(lines(view))
    assert [one.mean for one in own] in drawn
    assert [one.truth for one in own] in drawn
    for one in simulation.estimates:
        assert ([one.mean - one.sd, one.mean + one.sd] in drawn) == (one.shift == 2)
    assert [len(mark.x) for mark in scatters(view)] == [2, 2, 2]
    assert scatters(view)[0].marker == "diamond"
    text = said(view)
    assert all(
        word in text for word in (">true value<", ">empirical<", ">Normal fit<", "of 3 simulations")
    )
    assert "empirical 0.001. Normal fit 0.001." in text


def test_over_shifts_has_one_truth_at_one_clip_and_one_each_at_the_papers(
    simulation: GammaSimulation,
) -> None:
    view = SimulationView.over_shifts(simulation, n=1000)
    assert_drawable(view)
    assert said(view).count("true value") == 2  # once in the legend, once in the sentence
    papers = gamma_simulation(sizes=[1000], shifts=(0, 2), n_resamples=3, clip="paper")
    both = SimulationView.over_shifts(papers, n=1000)
    assert_drawable(both)
    for method in ("empirical", "normal"):
        one = papers.of(method=method, n=1000, shift=2)
        assert [0.0, one.truth] in heights(scatters(both))
    assert "true value for Normal fit" in said(both)
    assert "empirical 0.001. Normal fit 0.00014." in said(both)


def test_whiskers_of_the_methods_stand_apart(simulation: GammaSimulation) -> None:
    for view in (
        SimulationView.over_shifts(simulation, n=300),
        SimulationView.over_sizes(simulation, shift=0),
    ):
        places = [float(mark.x[0]) for mark in lines(view) if mark.x[0] == mark.x[-1]]
        assert len(places) == len(set(places)) == 4
    view = SimulationView.over_shifts(simulation, n=300)
    axis = view.frame.x
    first, second = sorted(float(mark.x[0]) for mark in lines(view) if mark.x[0] == mark.x[-1])[:2]
    assert second - first == pytest.approx((axis.high - axis.low) / 50)


def test_what_is_infinite_is_not_drawn_and_that_is_said() -> None:
    found = gamma_simulation(sizes=[300], shifts=(0, 1), n_resamples=2, clip=None)
    view = SimulationView.over_shifts(found, n=300)
    for mark in view.frame.figure.marks:
        assert np.isfinite(mark.y).all()
    assert sum(not drawn.mark.visible for drawn in view.frame.drawn) == 2
    assert "Values that are infinite or undefined are not drawn." in said(view)


def test_one_run_has_no_whiskers() -> None:
    found = gamma_simulation(sizes=[300], shifts=(0, 1), n_resamples=1)
    view = SimulationView.over_shifts(found, n=300)
    assert_drawable(view)
    assert len(lines(view)) == 3


@pytest.mark.parametrize("options", [{}, {"n": 100_000, "delta": 1e-5}])
def test_noise_is_drawn_as_four_lines_with_the_cap_in_words(options: dict[str, float]) -> None:
    noise = ratio_noise(**options)  # type: ignore[arg-type]
    view = SimulationView.of_noise(noise)
    assert_drawable(view)
    assert heights(lines(view)) == [c[:, 1].tolist() for c in (*noise.counted, *noise.true)]
    counted, *_, true = (mark.stroke_width for mark in lines(view))
    assert 2 * counted <= true  # which lies below
    assert (
        "Thresholds with a rate below 1e-09 are left out. "
        f"The true ratios reach {noise.exact.value:.2f}."
    ) in said(view)
    assert "log m2, counted" in said(view)


def test_noise_of_nothing_is_an_empty_figure() -> None:
    view = SimulationView.of_noise(ratio_noise(n=1, separation=40.0))
    assert not any(mark.visible for mark in view.frame.figure.marks)
    assert (
        "Thresholds with a rate below 1e-09 are left out. No threshold has both FPR and FNR inside"
        in said(view)
    )


@pytest.mark.parametrize(
    ("of", "column", "chance"), [("members", 0, "0.02"), ("non-members", 1, "1")]
)
def test_p_values_of_a_class_stand_over_the_components(
    tests_of_fit: KsByComponents, of: str, column: int, chance: str
) -> None:
    view = SimulationView.of_components(tests_of_fit, of=of)  # type: ignore[arg-type]
    assert_drawable(view)
    drawn = heights(lines(view))
    assert drawn == [
        [0.05, 0.05],
        tests_of_fit.two_sample_p_values[:, column].tolist(),
        tests_of_fit.p_values[:, column].tolist(),
    ]
    assert lines(view)[1].x.tolist() == [1, 2]
    assert f"{(100, 200)[column]} losses held out" in said(view)
    assert f"Joint test of all 2 fits: p = {chance}." in said(view)


def test_what_was_not_simulated_is_refused(
    simulation: GammaSimulation, tests_of_fit: KsByComponents
) -> None:
    with pytest.raises(ValueError, match="shift must be one of the simulated shifts, got 1"):
        SimulationView.over_sizes(simulation, shift=1)
    with pytest.raises(ValueError, match="n must be one of the simulated sizes, got 10"):
        SimulationView.over_shifts(simulation, n=10)
    with pytest.raises(ValueError, match="of must be one of 'members', 'non-members'"):
        SimulationView.of_components(tests_of_fit, of="all")  # type: ignore[arg-type]


def test_a_figure_is_saved_with_its_title_sentence_legend_and_lines(
    tests_of_fit: KsByComponents, tmp_path: Path
) -> None:
    view = SimulationView.of_components(tests_of_fit)
    view.save_svg(tmp_path / "figure.svg")
    view.save_png(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
    written = (tmp_path / "figure.svg").read_text()
    for part in ("Kolmogorov-Smirnov tests of mixtures, members", "level 0.05", "100 losses held"):
        assert part in written
    level, first, last = (
        [float(number) for number in re.findall(r"[\d.]+", d)]
        for d in re.findall(r'<path id="[^"]*" d="(M[\d.]+ [\d.]+[HL][\d. ]+)"', written)
    )
    # The plot is 400 wide and 272 high; from 0 to 3 components, from 0 to 1.05.
    assert level[2] - level[0] == pytest.approx(400, abs=0.1)
    assert first[2] - first[0] == last[2] - last[0] == pytest.approx(400 / 3, abs=0.1)
    assert first[1] - first[3] == pytest.approx(272 * 0.56 / 1.05, abs=0.1)
    assert last[1] - last[3] == pytest.approx(272 * 0.19 / 1.05, abs=0.1)
