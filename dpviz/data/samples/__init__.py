"""Small packaged score files; README.md beside them says where each comes from."""

from dataclasses import dataclass
from pathlib import Path

from dpviz import checks
from dpviz.audit.fleet import Fleet
from dpviz.audit.scores import AttackScores
from dpviz.data.read import read_scores
from dpviz.data.read_fleet import read_fleet

FOLDER = Path(__file__).parent


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A packaged file of losses: its title for a menu, and what it is in one sentence."""

    title: str
    description: str


SAMPLES: dict[str, Sample] = {
    "overfitted": Sample(
        title="overfitted network (digits, 300 members)",
        description=(
            "Losses of a neural network trained without regularisation on 300 handwritten digits; "
            "the other 1497 images of the data set are the non-members."
        ),
    ),
    "regularised": Sample(
        title="regularised network (digits, 300 members)",
        description="The same network and split with a strong weight penalty.",
    ),
    "gamma": Sample(
        title="simulated leak (Gamma)",
        description="5000 losses of each class, Gamma(2, 5) against Gamma(4, 5), as in the paper.",
    ),
    "null": Sample(
        title="simulated, no leakage",
        description="2000 losses of each class, all from the same Normal law.",
    ),
}


def read_sample(key: str) -> AttackScores:
    """Read a packaged sample.

    Parameters
    ----------
    key : {"overfitted", "regularised", "gamma", "null"}
        A key of `SAMPLES`.

    Raises
    ------
    ValueError
        If there is no such sample; the message lists the keys.
    """
    scores = read_scores(FOLDER / f"{checks.choice('key', key, SAMPLES)}.csv", memory_limit=2**30)
    if not isinstance(scores, AttackScores):
        raise RuntimeError("the packaged samples are small")
    return scores


FLEETS = ("landscape", "timeline")
"""Packaged models: eight strategies of five models each, and two trainings epoch by epoch."""


def read_sample_fleet(key: str) -> Fleet:
    """Read packaged models; needs pyarrow (``dpviz[parquet]``).

    Parameters
    ----------
    key : {"landscape", "timeline"}
        A key of `FLEETS`.

    Raises
    ------
    ValueError
        If there is no such file; the message lists the keys.
    ImportError
        If pyarrow is not installed.
    """
    return read_fleet(FOLDER / f"{checks.choice('key', key, FLEETS)}.parquet")
