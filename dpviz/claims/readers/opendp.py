"""OpenDP: measurements, by their input metric, output measure and privacy map."""

from collections.abc import Callable
from typing import Any

from dpviz import checks
from dpviz.claims.claim import Claim
from dpviz.claims.reader import Reader
from dpviz.claims.readers.privacy_loss import PRIVACY_LOSS
from dpviz.theory import ApproximateDP, PureDP, TradeoffFunction, ZeroConcentratedDP
from dpviz.theory.tradeoff import Adjacency

# Metrics on data sets; a distance of 1 is one record.
METRICS: dict[str, Adjacency] = {
    "SymmetricDistance": "add_remove",
    "InsertDeleteDistance": "add_remove",
    "ChangeOneDistance": "replace_one",
    "HammingDistance": "replace_one",
}


def _accepts(source: Any) -> bool:
    needed = ("input_metric", "output_measure", "map")
    return all(hasattr(source, name) for name in needed)


def _read(source: Any) -> Claim:
    measure, metric = str(source.output_measure), str(source.input_metric).partition("(")[0]
    make = MEASURES[checks.choice("the measurement's output_measure", measure, MEASURES)]
    guarantee, adjacency = make(source.map(1)), METRICS.get(metric)
    of_query = f"for answers at a distance of 1 in {source.input_metric}, not for a record"
    return Claim(
        guarantee=guarantee.with_parameters(adjacency=adjacency) if adjacency else guarantee,
        source=f"an OpenDP measurement, {measure}",
        states_adjacency=adjacency is not None,
        notes=() if adjacency else (of_query,),
    )


def _profile(profile: Any) -> TradeoffFunction:
    return PRIVACY_LOSS.read(profile).guarantee


MEASURES: dict[str, Callable[[Any], TradeoffFunction]] = {
    "MaxDivergence": lambda epsilon: PureDP(epsilon=epsilon),
    "ZeroConcentratedDivergence": lambda rho: ZeroConcentratedDP(rho=rho),
    "Approximate(MaxDivergence)": lambda pair: ApproximateDP(epsilon=pair[0], delta=pair[1]),
    "SmoothedMaxDivergence": _profile,
}

OPENDP = Reader(name="an OpenDP measurement", accepts=_accepts, read=_read)
