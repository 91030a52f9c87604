"""The capital against a claim while records arrive, and the line at which it is contradicted."""

import numpy as np

from dpviz import checks
from dpviz.analysis.number_format import lower, percent, short
from dpviz.analysis.sentences.claim import name
from dpviz.audit import Checkpoints, Stream
from dpviz.pictures import theme
from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layers.simulation import Series
from dpviz.widgets.views.fixed import FixedView

MOST = 400  # places of a line


class WealthView(FixedView):
    """Whether a training may go on: what bets against its claim have won so far.

    A true claim lets the capital reach the line, ever, with probability at most
    ``1 - confidence_level``. Of checkpoints the largest capital of each is drawn, times its share
    of the level, so that one line is right for all.

    Parameters
    ----------
    test : audit.Stream or audit.Checkpoints, as it is now

    Raises
    ------
    TypeError
        If `test` is neither.
    ValueError
        If it has seen no records.

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz import audit, theory
    >>> from dpviz.widgets import WealthView
    >>> stream, rng = audit.Stream(theory.PureDP(epsilon=1)), np.random.default_rng(1)
    >>> for _ in range(5):
    ...     _ = stream.update(member=rng.normal(2, 1, 10), nonmember=rng.normal(0, 1, 10))
    >>> WealthView(stream).sentence.partition(".")[0]
    'Pairs seen: 50; largest capital: 1280 times the stake'
    """

    def __init__(self, test: Stream | Checkpoints) -> None:
        if not isinstance(test, Stream | Checkpoints):
            raise TypeError(f"test must be a Stream or Checkpoints, got {type(test).__name__}")
        goal = 1 / (1 - test.confidence_level)
        streams = [test] if isinstance(test, Stream) else list(test.streams.values())
        if not any(stream.history for stream in streams):
            raise checks.fail("test", "one that has seen records", "none")
        if isinstance(test, Stream):
            places = np.array([[0, 1.0], *([look.pairs, look.wealth] for look in test.history)])
            kept = np.linspace(0, len(places) - 1, MOST).astype(int)
            places = places[np.unique(np.append(kept, places[:, 1].argmax()))]
            label = "capital against the claim, from a stake of 1"
            x = AxisSpec(label="pairs of a member and a non-member", high=max(1.0, places[-1, 0]))
        else:
            height = [goal / (each.p_value * each.goal) for each in streams]
            places = np.column_stack([np.arange(1, len(streams) + 1), height])
            x = AxisSpec(label="checkpoint", high=len(streams) + 1)
            label = "largest capital of each, times its share of the level"
        low, high = places[:, 1].min(), max(goal, places[:, 1].max())
        super().__init__(
            title="Is the claim contradicted yet?",
            sentence=_sentence(test, streams),
            x=x,
            y=AxisSpec(label="capital (log scale)", low=low / 2, high=2 * high, scale="log"),
            series=[
                Series(
                    label=f"contradicted from {short(goal)} on",
                    places=np.array([[x.low, goal], [x.high, goal]]),
                    color=theme.CLAIM,
                    dash="dashed",
                ),
                Series(
                    label=label,
                    places=places,
                    color=theme.ATTACK,
                    marker=None if isinstance(test, Stream) else "circle",
                ),
            ],
        )


def _sentence(test: Stream | Checkpoints, streams: list[Stream]) -> str:
    """What was reached, and what that says."""
    claim, level = name(streams[0].claim), percent(test.confidence_level)
    if isinstance(test, Stream):
        largest = short(lower(max(look.wealth for look in test.history)))
        reached = f"Pairs seen: {test.pairs}; largest capital: {largest} times the stake."
    else:
        count = len(test.contradicted)
        reached = f"Checkpoints: {len(streams)}; at the line: {count}."
    if test.verdict == "contradicted":
        return f"{reached} The claim {claim} is contradicted ({level} confidence, at any time)."
    return f"{reached} The claim {claim} is not contradicted, which does not confirm it."
