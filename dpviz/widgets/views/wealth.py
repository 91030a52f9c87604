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
MOST_NAMES = 6  # of checkpoints that the sentence lists
LONGEST_NAME = 16  # letters of a checkpoint


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
    'The claim pure DP ε = 1 is contradicted (95 % confidence, however often one looks)'
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
            places = np.column_stack([np.arange(len(streams)) + 0.5, height])
            x = AxisSpec(label="checkpoint", high=len(streams))
            label = "largest capital at each checkpoint, scaled to one line"
        low, high = places[:, 1].min(), max(goal, places[:, 1].max())
        super().__init__(
            title="Is the claim contradicted yet?",
            sentence=_sentence(test, streams),
            details=_details(test, goal),
            x=x,
            names=() if isinstance(test, Stream) else [_cut(name) for name in test.streams],
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
    """Whether the claim is contradicted, and what was reached."""
    claim, level = name(streams[0].claim), percent(test.confidence_level)
    if test.verdict == "contradicted":
        answer = f"is contradicted ({level} confidence, however often one looks)"
    else:
        answer = "is not contradicted, which does not confirm it"
    if isinstance(test, Stream):
        largest = short(lower(max(1.0, *(look.wealth for look in test.history))))
        reached = f"Largest capital after {test.pairs} pairs: {largest} times the stake."
    else:
        reached = f"Contradicted at {len(test.contradicted)} of {len(streams)} checkpoints"
        reached += f": {_listed(test.contradicted)}." if test.contradicted else "."
    return f"The claim {claim} {answer}. {reached}"


def _listed(names: tuple[str, ...]) -> str:
    """The first names, and how many follow."""
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _cut(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def _details(test: Stream | Checkpoints, goal: float) -> str:
    """What makes the line the right one."""
    chance = percent(1 - test.confidence_level)
    said = (
        "Where the claim holds, bets against it are fair or worse: with probability at most "
        f"{chance} the capital ever reaches {short(goal)} times the stake, whenever one stops."
    )
    if isinstance(test, Stream):
        return said
    return (
        f"{said} Checkpoints share this probability, so each has a line of its own; here all are "
        "scaled to one."
    )
