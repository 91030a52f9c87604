"""Small packaged files of attack scores; README.md in this folder states their origin."""

from dataclasses import dataclass
from pathlib import Path

from dpviz import checks
from dpviz.audit.models.fleet import Fleet
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import Scores
from dpviz.data.read import read_scores
from dpviz.data.read_fleet import read_fleet

FOLDER = Path(__file__).parent


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A packaged file of losses: its `title` in a menu, and a one-sentence `description`.

    Examples
    --------
    >>> from dpviz.data.samples import SAMPLES
    >>> SAMPLES["null"].title
    'simulated, no leakage'
    """

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
        description="Losses of a network on 300 handwritten digits, with a strong weight penalty.",
    ),
    "gamma": Sample(
        title="simulated leak (Gamma)",
        description="5000 losses of each class, Gamma(2, 5) against Gamma(4, 5), as in the paper.",
    ),
    "null": Sample(
        title="simulated, no leakage",
        description="2000 losses of each class, all from the same Normal distribution.",
    ),
}


def read_sample(key: str) -> AttackScores:
    """Return the attack scores of a packaged sample.

    Parameters
    ----------
    key : {"overfitted", "regularised", "gamma", "null"}

    Raises
    ------
    ValueError, if there is no such sample; the message lists the keys

    Examples
    --------
    >>> from dpviz import read_sample
    >>> read_sample("overfitted").n_members
    300
    """
    scores = read_scores(FOLDER / f"{checks.choice('key', key, SAMPLES)}.csv", memory_limit=2**30)
    if not isinstance(scores, AttackScores):
        raise RuntimeError("a packaged sample must be AttackScores, got counts")
    return scores


FLEETS = ("landscape", "timeline", "adult")


def sample_key(scores: Scores | None) -> str:
    """Return the key of the packaged sample from which scores were read, or "" for other scores."""
    path = None if scores is None or scores.provenance is None else scores.provenance.path
    return next((key for key in SAMPLES if path == str(FOLDER / f"{key}.csv")), "")


def read_sample_fleet(key: str) -> Fleet:
    """Return the attack scores of packaged models; needs pyarrow (``dpviz[parquet]``).

    Parameters
    ----------
    key : {"landscape", "timeline", "adult"}
        Eight training strategies with five models each, two trainings epoch by epoch, or networks
        trained on UCI Adult for 1, 5, 10 and 20 epochs, two of each.

    Raises
    ------
    ValueError, if there is no such file; the message lists the keys
    ImportError, if pyarrow is not installed

    Examples
    --------
    >>> from dpviz import read_sample_fleet
    >>> len(read_sample_fleet("timeline").models)
    18
    """
    return read_fleet(FOLDER / f"{checks.choice('key', key, FLEETS)}.parquet")
