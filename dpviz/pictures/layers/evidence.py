"""Claim against evidence in rows: the bound, the ceiling, an estimate and what chance gives."""

from dpviz.analysis import Result
from dpviz.analysis.wording import lower, short, upper
from dpviz.pictures import theme
from dpviz.pictures.layers.bars import Bar, BarChart, Bars, Kind

ROOM = 2.0
KINDS = (
    Kind(color=theme.ATTACK, opacity=0.5, label="lower bound"),
    Kind(color=theme.CLAIM, opacity=0, label="the most they could certify"),
    Kind(color=theme.SELECTION, opacity=0, dash="dashed", label="an estimate, no bound"),
    Kind(
        color=theme.SELECTION,
        opacity=0.3,
        dash="dotted",
        label="95 in 100 such estimates where nothing leaks (simulated)",
    ),
)


def evidence_bars() -> Bars:
    """Two confidence statements, then the counted estimate and what it is without leakage."""
    return Bars(KINDS, _chart, evidence_parts)


def evidence_parts(result: Result) -> tuple[object, ...]:
    """What decides the bars, and so the axis."""
    sample = result.sample
    if sample is None:
        return (None, result.claim.delta)
    audit = sample.audit
    return (sample.epsilon_star, audit.bound, audit.ceiling, audit.null, result.claim.delta)


def _chart(result: Result) -> BarChart:
    """Only what is known has a bar; a bound is rounded down, a ceiling up."""
    sample = result.sample
    bound = sample and sample.audit.bound
    most = sample.audit.ceiling if sample else None
    star = sample.epsilon_star.star.value if sample else None
    null = sample and sample.audit.null
    chance = null.quantile("epsilon_star") if null else None
    is_counted = result.spec.method == "empirical"
    rows = [
        Bar(
            name="lower bound (ranks)",
            epsilon=bound.low if bound else None,
            text=f"≥ {short(lower(bound.low))}" if bound else "",
        ),
        Bar(
            name="ceiling of these records",
            epsilon=most,
            text="" if most is None else f"≤ {short(upper(most))}",
            kind=1,
        ),
        Bar(
            name="Epsilon*: an estimate",
            epsilon=star,
            text="" if star is None else f"({short(star)})",
            kind=2,
        ),
        Bar(
            name="no leakage" if is_counted else "no leakage (counted Epsilon*)",
            epsilon=chance,
            text="" if chance is None else f"({short(upper(chance))})",
            kind=3,
        ),
    ]
    return BarChart(rows=rows, delta=result.claim.delta, room=ROOM)
