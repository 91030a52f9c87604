"""Figures of the Epsilon* paper's Appendix B: estimates beside the true values."""

from collections.abc import Callable, Sequence
from typing import Literal, Self

import numpy as np

from dpviz import checks
from dpviz.audit.epsilon_star.estimate import Method
from dpviz.audit.epsilon_star.fits import KsByComponents
from dpviz.audit.epsilon_star.resampling import GammaSimulation, RatioNoise, SimulatedEstimates
from dpviz.drawing import theme
from dpviz.drawing.axes import AxisSpec
from dpviz.widgets.views.fixed_results import FixedView, LineOrMarkers

LOOKS: dict[Method, tuple[str, str, theme.Dash, str]] = {
    "empirical": ("empirical", theme.ATTACK, "solid", "circle"),
    "normal": ("Normal fit", theme.CLAIM, "dashed", "triangle-up"),
    "mixture": ("mixture fit", theme.NONMEMBER, "dash_dotted", "circle"),
}
METHOD_GAP = 0.02  # fraction of the x axis between two methods, so that whiskers do not overlap
HEIGHT_FACTOR = 1.1  # height of the y axis as a multiple of the highest value
KS_LEVEL = 0.05  # of the KS test, drawn as a line
CLASSES = ("members", "non-members")


class SimulationView(FixedView):
    """A figure of Appendix B of the Epsilon* paper.

    The class methods :meth:`of_noise`, :meth:`over_sizes`, :meth:`over_shifts` and
    :meth:`of_components` make Figures 3 to 6 of the paper.

    Examples
    --------
    >>> from dpviz.audit.epsilon_star import ratio_noise
    >>> from dpviz.widgets import SimulationView
    >>> view = SimulationView.of_noise(ratio_noise(n=100, separation=3.0))
    >>> view.svg().startswith("<svg")
    True
    """

    @classmethod
    def of_noise(cls, noise: RatioNoise) -> Self:
        """Return a figure of the log ratios of error rates.

        The rates are the true ones, and those counted in a sample.
        """
        reason = noise.exact.reason
        reached = f"The true ratios reach {noise.exact.value:.2f}"
        if reason:
            reached = reason[0].upper() + reason[1:]
        looks = list(zip(("log m1", "log m2"), theme.RATIO_COLORS, strict=False))
        series = [
            LineOrMarkers(f"{name}, counted", curve, color, width=1)
            for (name, color), curve in zip(looks, noise.counted, strict=True)
        ]
        series += [
            LineOrMarkers(f"{name}, true", curve, color, dash="dashed", width=2.5)
            for (name, color), curve in zip(looks, noise.true, strict=True)
        ]
        return cls(
            title="Log ratios from true and from counted rates",
            sentence=f"Thresholds with a rate below {noise.exact.clip:g} are left out. {reached}.",
            x=AxisSpec(label="(TPR + FPR) / 2"),
            y=_y_axis("log ratio", series),
            series=series,
        )

    @classmethod
    def over_sizes(cls, simulation: GammaSimulation, *, shift: float) -> Self:
        """Return a figure of Epsilon* against the number of losses, for one simulated shift."""
        found = [one for one in simulation.estimates if one.shift == shift]
        if not found:
            raise checks.fail("shift", "one of the simulated shifts", shift)
        low, high = found[0].n / 2, found[-1].n * 2
        series = _series_by_method(found, lambda one, i: one.n * (high / low) ** (METHOD_GAP * i))
        return cls(
            title=f"Epsilon* over the number of losses, shift {shift:g}",
            sentence=_estimates_caption(found),
            x=AxisSpec(label="losses per class (log scale)", low=low, high=high, scale="log"),
            y=_y_axis("Epsilon*", series),
            series=series,
        )

    @classmethod
    def over_shifts(cls, simulation: GammaSimulation, *, n: int) -> Self:
        """Return a figure of Epsilon* against the shift, for `n` losses in each class."""
        found = [one for one in simulation.estimates if one.n == n]
        if not found:
            raise checks.fail("n", "one of the simulated sizes", n)
        low, high = found[0].shift - 0.4, found[-1].shift + 0.4
        series = _series_by_method(found, lambda one, i: one.shift + METHOD_GAP * (high - low) * i)
        return cls(
            title=f"Epsilon* over the shift, {n} losses per class",
            sentence=_estimates_caption(found),
            x=AxisSpec(label="shift of the non-members' distribution", low=low, high=high),
            y=_y_axis("Epsilon*", series),
            series=series,
        )

    @classmethod
    def of_components(
        cls, found: KsByComponents, *, of: Literal["members", "non-members"] = "members"
    ) -> Self:
        """Return a figure of KS tests' p-values against the number of mixture components."""
        column = CLASSES.index(checks.choice("of", of, CLASSES))
        k, low, high = found.components, 0.0, len(found.components) + 1.0
        tests = (found.two_sample_p_values, found.p_values)
        two, one = (np.column_stack([k, p[:, column]]) for p in tests)
        level = np.array([[low, KS_LEVEL], [high, KS_LEVEL]])
        of_two = "two samples: against a simulated sample (the paper's)"
        of_one = "one sample: against its CDF"
        series = [
            LineOrMarkers(f"level {KS_LEVEL:g}", level, theme.SELECTION, None, "dash_dotted", 1.5),
            LineOrMarkers(of_two, two, theme.ATTACK, marker="circle"),
            LineOrMarkers(of_one, one, theme.CLAIM, dash="dashed", marker="triangle-up"),
        ]
        return cls(
            title=f"Kolmogorov-Smirnov tests of mixtures, {of}",
            sentence=(
                f"{found.n_held_out[column]} losses held out, the same for every test. Joint test "
                f"of all {len(k)} fits: p = {found.joint_p_values[column]:.2g}."
            ),
            x=AxisSpec(label="components of the mixture", low=low, high=high),
            y=AxisSpec(label="p-value", low=0, high=1.05),
            series=series,
        )


def _series_by_method(
    simulated: Sequence[SimulatedEstimates], x_of: Callable[[SimulatedEstimates, int], float]
) -> list[LineOrMarkers]:
    """Return series of truths and of estimates; `x_of(e, i)` is x for estimate e by method i."""
    methods = dict.fromkeys(one.method for one in simulated)
    own = [[one for one in simulated if one.method == method] for method in methods]
    truths = [[one.truth for one in rows] for rows in own]
    are_same = all(truth == truths[0] for truth in truths)
    estimates, true = [], []
    for i, (method, rows) in enumerate(zip(methods, own, strict=True)):
        name, color, dash, marker = LOOKS[method]
        x = [x_of(one, i) for one in rows]
        means = np.column_stack([x, [one.mean for one in rows]])
        spread = np.array([one.sd for one in rows])
        estimates.append(LineOrMarkers(name, means, color, spread, dash, marker=marker))
        if i == 0 or not are_same:
            label = "true value" if are_same else f"true value for {name}"
            color = theme.SELECTION if are_same else color
            places = np.column_stack([x, truths[i]])
            true.append(LineOrMarkers(label, places, color, dash="dotted", marker="diamond"))
    return [*true, *estimates]


def _estimates_caption(simulated: Sequence[SimulatedEstimates]) -> str:
    said = (
        f"Estimates: mean ± standard deviation of {simulated[0].values.size} simulations; true "
        "values at the same clip:"
    )
    for method in dict.fromkeys(one.method for one in simulated):
        clips = [one.exact.clip for one in simulated if one.method == method]
        ends = dict.fromkeys("none" if c is None else f"{c:.2g}" for c in (clips[0], clips[-1]))
        said += f" {LOOKS[method][0]} {' to '.join(ends)}."
    if not all(np.isfinite([one.mean, one.truth]).all() for one in simulated):
        said += " Values that are infinite or undefined are not drawn."
    return said


def _y_axis(label: str, series: Sequence[LineOrMarkers]) -> AxisSpec:
    ends = [y for s in series for y in (*s.finite_points[:, 1], *s.error_bars[:, :, 1].ravel())]
    high = HEIGHT_FACTOR * max(ends, default=1.0)
    return AxisSpec(label=label, low=min(0.0, *ends) if ends else 0.0, high=max(high, 0.1))
