"""Data of one's own for each student, made of the login: the same at home and in the grader."""

from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from dpviz import checks
from dpviz.audit import AttackScores
from dpviz.data import read_sample

PLACEHOLDER = "your login"  # what stands in a notebook before a student writes a login
LONGEST = 100  # characters of a login
MODELS = ("overfitted", "regularised")
MEMBERS, NONMEMBERS = (150, 250), (800, 1200)  # fewest and most records


@dataclass(frozen=True, kw_only=True)
class StudentData:
    """Losses of a real network, of which each student has other records.

    Parameters
    ----------
    scores : AttackScores
    epsilon, delta : float
        What is claimed of the network's training.

    Examples
    --------
    >>> from dpviz import teach
    >>> teach.data_for("ada").epsilon
    1.0
    """

    scores: AttackScores
    epsilon: float
    delta: float


def generator_for(login: str, purpose: str = "") -> np.random.Generator:
    """Return a random generator that only the login and the purpose decide."""
    if not isinstance(login, str) or not 0 < len(login.strip()) <= LONGEST:
        raise checks.fail("login", f"a text of 1 to {LONGEST} characters", login)
    digest = sha256(f"{login.strip()}\n{purpose}".encode(errors="replace")).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "big"))


def data_for(login: str) -> StudentData:
    """Return a student's own data: losses of one of two real networks, drawn without replacement.

    Parameters
    ----------
    login : str
        Of 1 to 100 characters; blanks around it do not matter.

    Returns
    -------
    StudentData

    Raises
    ------
    ValueError
        If the login is no such text.

    Examples
    --------
    >>> from dpviz import teach
    >>> mine, yours = teach.data_for("ada"), teach.data_for("charles")
    >>> mine.scores.n_members == yours.scores.n_members
    False
    """
    rng = generator_for(login, "data")
    sample = read_sample(MODELS[int(rng.integers(len(MODELS)))])
    sizes = [int(rng.integers(low, high, endpoint=True)) for low, high in (MEMBERS, NONMEMBERS)]
    drawn = [
        rng.choice(values, size, replace=False)
        for values, size in zip((sample.member, sample.nonmember), sizes, strict=True)
    ]
    scores = AttackScores(member=drawn[0], nonmember=drawn[1], kind=sample.kind)
    return StudentData(scores=scores, epsilon=1.0, delta=1e-5)
