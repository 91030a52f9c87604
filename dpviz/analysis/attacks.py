"""`Attacks` holds the scores of other attacks by name, to compare with the first attack."""

from collections.abc import Mapping
from types import MappingProxyType
from unicodedata import category

from dpviz import checks
from dpviz.audit.scores.base import Scores
from dpviz.value_object import FrozenMapping

FIRST_ATTACK = "this attack"  # the name in sentences of the attack that has the first scores
MOST_COMPARED = 5  # most other attacks in one picture
LONGEST_NAME = 40  # characters


class Attacks(FrozenMapping[Scores]):
    """The scores of other attacks on the same model, by the name of the attack.

    Parameters
    ----------
    given : mapping of str to scores
        Names of at most 40 characters, and :class:`AttackScores` or anything that
        :func:`dpviz.read_scores` takes; 5 attacks at most.

    Raises
    ------
    ValueError, if `given` is no mapping or has too many attacks, illegal names or unreadable scores

    Examples
    --------
    >>> from dpviz.analysis.attacks import Attacks
    >>> attacks = Attacks({"LiRA": ([0.1, 0.2], [0.3, 0.4])})
    >>> attacks["LiRA"].n_members, list(attacks.without("LiRA"))
    (2, [])
    """

    def __init__(self, given: object = MappingProxyType({})) -> None:
        if not isinstance(given, Mapping):
            raise checks.fail("compare", "a dict of scores by name", f"a {type(given).__name__}")
        if len(given) > MOST_COMPARED:
            raise checks.fail("compare", f"at most {MOST_COMPARED} attacks", len(given))
        checked = ((_checked_name(name), _checked_scores(name, given[name])) for name in given)
        super().__init__(dict(checked))
        if len(self) < len(given):
            raise checks.fail("compare", "attacks with different names", list(given))

    def without(self, name: str) -> "Attacks":
        """Return all attacks except the one called `name`."""
        return Attacks({each: scores for each, scores in self.items() if each != name})


def _checked_name(given: object) -> str:
    if not isinstance(given, str):
        raise checks.fail("compare", "attacks whose names are text", given)
    name = " ".join(given.split())
    if not 0 < len(name) <= LONGEST_NAME or any(category(sign) in ("Cc", "Cs") for sign in name):
        raise checks.fail("compare", f"names of 1 to {LONGEST_NAME} characters", given)
    if name == FIRST_ATTACK:
        raise checks.fail("compare", f"names other than {FIRST_ATTACK!r} (the first attack)", given)
    return name


def _checked_scores(name: str, given: object) -> Scores:
    if isinstance(given, Scores):
        return given
    from dpviz.data import read_scores  # a spec without other attacks reads no file

    try:
        return read_scores(given)
    except ValueError as error:
        raise ValueError(f"compare[{name!r}]: {error}") from error
