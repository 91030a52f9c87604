"""Auditors for tests, at the top of a module so that other processes can read them."""

import os
import random
import signal
import time
from typing import Any

import numpy as np
from scipy.special import betaincinv

from dpviz import AttackScores


def right_guesses_at_best_threshold(
    scores: AttackScores, delta: float, confidence_level: float
) -> float:
    """The binomial test of the first or last records, where it finds most; nothing is paid."""
    order = np.argsort(-np.concatenate([scores.member, scores.nonmember]))
    is_member = order < scores.n_members
    hits = np.array([np.cumsum(is_member), np.cumsum(~is_member[::-1])])
    flagged = np.arange(1, order.size + 1)
    low = np.where(hits > 0, betaincinv(hits, flagged - hits + 1, 1 - confidence_level), 0.0)
    return float(np.log(max(1.0, (low / (1 - low)).max())))


def counts_without_delta(
    false_positives: int,
    n_nonmembers: int,
    false_negatives: int,
    n_members: int,
    delta: float,
    confidence_level: float,
) -> float:
    """Clopper-Pearson limits at a fixed threshold, for epsilon at delta = 0."""
    del delta
    each, hits = (1 - confidence_level) / 2, n_members - false_negatives
    tpr = betaincinv(hits, false_negatives + 1, each) if hits else 0.0
    fpr = betaincinv(false_positives + 1, n_nonmembers - false_positives, 1 - each)
    return float(np.log(max(1.0, tpr / fpr)))


def binomial_of_guesses(
    right: int, guesses: int, records: int, delta: float, confidence_level: float
) -> float:
    """The exact test of right guesses at delta = 0."""
    del records, delta
    low = betaincinv(right, guesses - right + 1, 1 - confidence_level)
    return float(np.log(max(1.0, low / (1 - low))))


def by_global_state(scores: AttackScores, **_: Any) -> float:
    """A number from both global random states."""
    return random.random() + np.random.random() + 0 * scores.n_members  # noqa: NPY002


def hangs(scores: AttackScores, **_: Any) -> float:
    """Never ends, for half of the samples."""
    if scores.member[0] > 0:
        time.sleep(60)
    return 0.25


def handles_everything(scores: AttackScores, **_: Any) -> float:
    """Never ends, and no signal interrupts it."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            time.sleep(60)
        except BaseException:
            continue
    return 0.0


def ends_its_process(scores: AttackScores, **_: Any) -> float:
    """Ends the process for half of the samples."""
    if scores.member[0] > 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return 0.25
