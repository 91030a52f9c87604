"""One file per family of guarantees and one registry: the laws in `tests/laws` run over it."""

from dpviz.theory.mechanisms.claims import ApproximateDP, PureDP
from dpviz.theory.tradeoff import TradeoffFunction

MECHANISMS: dict[str, type[TradeoffFunction]] = {
    "pure": PureDP,
    "approximate": ApproximateDP,
}

__all__ = ["MECHANISMS", "ApproximateDP", "PureDP"]
