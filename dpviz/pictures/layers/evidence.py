"""Claim against evidence in rows: the bound, the ceiling, an estimate and its chance level."""

from dpviz.analysis import Result
from dpviz.analysis.number_format import lower, short, upper
from dpviz.pictures import theme
from dpviz.pictures.layers.bars import Bar, BarChart, Bars, Kind

ROOM = 1.6  # length of the axis over that of the longest bar
KINDS = (
    Kind(color=theme.ATTACK, opacity=0.5),
    Kind(color=theme.SELECTION, opacity=0),
    Kind(color=theme.ATTACK, opacity=0, dash="dashed"),
    Kind(color=theme.SELECTION, opacity=0.3, dash="dotted"),
)


def evidence_bars() -> Bars:
    """The bound and the ceiling, then the counted estimate and its level without leakage."""
    return Bars(KINDS, _chart, evidence_parts)


def evidence_parts(result: Result) -> tuple[object, ...]:
    """The parts of a result that decide the bars, and so the axis."""
    sample = result.sample
    if sample is None:
        return (None, result.claim.delta)
    audit = sample.audit
    return (sample.epsilon_star, audit.bound, audit.ceiling, audit.null, result.claim.delta)


def _chart(result: Result) -> BarChart:
    """Rows with the known numbers; a bound is rounded down, a ceiling up."""
    sample = result.sample
    bound, most, null = (
        (sample.audit.bound, sample.audit.ceiling, sample.audit.null) if sample else (None,) * 3
    )
    low = bound.low if bound else None
    star = sample.epsilon_star.star.value if sample else None
    chance = null.quantile("epsilon_star") if null else None
    counted = "" if result.spec.method == "empirical" else "counted "
    rows = [
        ("lower bound (rank test)", low, "" if low is None else f"≥ {short(lower(low))}"),
        ("ceiling of these records", most, "" if most is None else short(upper(most))),
        ("Epsilon*: an estimate", star, "" if star is None else f"≈ {short(star)}"),
        (
            f"{counted}Epsilon* by chance",
            chance,
            "" if chance is None else f"up to {short(upper(chance))}",
        ),
    ]
    bars = [
        Bar(name=name, epsilon=epsilon, text=text, kind=kind)
        for kind, (name, epsilon, text) in enumerate(rows)
    ]
    return BarChart(rows=bars, delta=result.claim.delta, room=ROOM)
