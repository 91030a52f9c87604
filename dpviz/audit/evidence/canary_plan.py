"""Plans of canaries: fair coins, tossed before a training, decide which records it includes.

**Statement.** Each coin belongs to one record, or to one group of records such as those of a user,
in one run. Let a claim hold for the inclusion of such a unit in a run, and let each run be trained
from scratch with random numbers of its own. Then bounds and tests for fair coins hold at their
level for the scores of all runs together, whatever the attack, if it did not see the coins.

**Proof.** The coins are independent and fair, except that a computer makes them: they are bits of a
keyed hash, which nobody can tell from coins without the key. Fix all coins but one. It decides
about one unit in one run. Given the fixed coins, the other runs do not depend on it, so all outputs
together are a randomized function of the output of this run. The claim therefore holds for all
outputs together, and about any coin: the assumption in `dpviz.audit.bounds.one_run`.

**Receipt.** The hash of a plan, published before the training, fixes the plan and hides it: the
plan contains its seed, which has at least 100 bits. Who later gets the file of the plan can compute
the coins and the hash again. A receipt does not show that only one seed was tried.
"""

import json
import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.audit.evidence.stream import read_state_file, write_state_file
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import SCORE_KINDS, Provenance, ScoreKind, checked_labels
from dpviz.audit.scores.losses import UserStatistic, per_user
from dpviz.checks import FloatArray
from dpviz.documents import checked_dict
from dpviz.value_object import ValueObject

Identifier = int | str
SCHEMA = "dpviz/canaries/1"
SEED_BITS = 256  # of a seed that the operating system draws
SMALLEST_SEED = 2**100  # a reader of the receipt could try all seeds that are much smaller
SHOWN_DIGITS = 12  # of a receipt in a sentence
EXPECTED_SCORES = "scores by identifier, such as {identifier: score} or zip(identifiers, scores)"


def canaries(
    n: int,
    *,
    among: Iterable[Identifier],
    groups: Iterable[Identifier] | None = None,
    runs: int = 1,
    seed: int | None = None,
) -> "CanaryPlan":
    """Return a plan of an audit: `n` canaries among some records, and a fair coin for each.

    A training includes a canary if its coin says so, and all records that are no canaries. Before
    the training, save the plan and publish its `receipt`; afterwards, score all canaries by an
    attack.

    Source: Steinke, Nasr and Jagielski, "Privacy auditing with one (1) training run" (2023).

    Parameters
    ----------
    n : int, at least 2, coins; more give larger bounds
    among : sequence of str or int, distinct identifiers of the records
    groups : sequence of str or int, optional, one label for each record of `among`
        Records with one label share a coin, such as those of a user; bounds are then about groups.
    runs : int, at least 1, trainings; each has coins of its own
    seed : int, at least 2^100, optional
        A secret, of which all coins follow. Left out: 256 random bits of the operating system.

    Raises
    ------
    ValueError, if an identifier is missing or occurs twice, or an argument is out of range

    Examples
    --------
    >>> import dpviz
    >>> plan = dpviz.canaries(n=4, among=["a", "b", "c", "d", "e", "f"], seed=10**40)
    >>> plan.canaries, plan.held_out()
    (('b', 'c', 'e', 'f'), ('c', 'f'))
    >>> plan.training_set()
    ('a', 'b', 'd', 'e')
    >>> plan.scores({"b": 0.3, "c": 0.1, "e": 0.9, "f": 0.2}).sampling
    'fair_coins'
    """
    seed = secrets.randbits(SEED_BITS) | 2 ** (SEED_BITS - 1) if seed is None else seed
    return CanaryPlan(identifiers=among, n=n, groups=groups, runs=runs, seed=seed)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CanaryPlan(ValueObject):
    """A plan of canaries: records that a fair coin puts into a training or not.

    Parameters
    ----------
    identifiers : tuple of str or int, of all records
    n : int, number of coins in a run
    runs : int
    groups : tuple of str or None, the label of each record, if groups share a coin
    seed : int, secret: neither `repr` nor `to_dict` shows it

    Examples
    --------
    >>> import dpviz
    >>> plan = dpviz.canaries(n=500, among=range(1000), seed=10**40)
    >>> len(plan.members()), len(plan.held_out()), len(plan.training_set())
    (248, 252, 748)
    >>> plan.receipt[:12]
    '610d2dbd0f4d'
    """

    identifiers: tuple[Identifier, ...]
    n: int
    runs: int = 1
    groups: tuple[str, ...] | None = None
    seed: int = field(repr=False)

    def __post_init__(self) -> None:
        given, groups = self.identifiers, self.groups
        identifiers = _checked_identifiers("among", given)
        _reject_repeated("among", map(str, identifiers))
        if groups is not None:
            groups = tuple(map(str, _checked_identifiers("groups", groups)))
            if len(groups) != len(identifiers):
                condition = f"{len(identifiers)} labels, one for each record"
                raise checks.fail("groups", condition, len(groups))
        n_units = len({*groups} if groups else identifiers)
        if type(self.seed) is not int or self.seed < SMALLEST_SEED:
            condition = "a whole number of at least 2^100, such as secrets.randbits(256)"
            raise checks.fail("seed", condition, self.seed, "smaller numbers can be guessed")
        legal: dict[str, Any] = {"identifiers": identifiers, "groups": groups}
        legal |= {"n": checks.whole("n", self.n, 2, n_units)}
        legal |= {"runs": checks.whole("runs", self.runs, 1)}
        for name, value in legal.items():
            object.__setattr__(self, name, value)

    @cached_property
    def _key(self) -> bytes:
        return blake2b(str(self.seed).encode()).digest()

    def _bits(self, purpose: str, unit: str) -> bytes:
        """Return 128 bits that nobody can tell from random bits without the seed."""
        text = f"{purpose}/{unit}".encode("utf-8", "surrogatepass")
        return blake2b(text, key=self._key, digest_size=16).digest()

    @cached_property
    def _units(self) -> tuple[str, ...]:
        """The unit of each record: its group, or else the record itself."""
        return self.groups or tuple(map(str, self.identifiers))

    @cached_property
    def _coins(self) -> dict[str, list[bool]]:
        """For each chosen unit, whether each run includes it."""
        # Random bits order the units; the first n are chosen, and further bits are their coins.
        units = sorted(dict.fromkeys(self._units), key=lambda unit: self._bits("choice", unit))
        runs = range(1, self.runs + 1)
        return {
            unit: [self._bits(f"run {run}", unit)[0] % 2 == 1 for run in runs]
            for unit in units[: self.n]
        }

    @cached_property
    def _canary_rows(self) -> list[int]:
        return [i for i, unit in enumerate(self._units) if unit in self._coins]

    @property
    def canaries(self) -> tuple[Identifier, ...]:
        """The identifiers of all canaries, in the order of `identifiers`."""
        return tuple(self.identifiers[i] for i in self._canary_rows)

    def members(self, run: int = 1) -> tuple[Identifier, ...]:
        """Return the canaries that a run includes."""
        return self._with_coin(True, run)

    def held_out(self, run: int = 1) -> tuple[Identifier, ...]:
        """Return the canaries that a run leaves out."""
        return self._with_coin(False, run)

    def training_set(self, run: int = 1) -> tuple[Identifier, ...]:
        """Return the identifiers of the records to train on: all but `held_out`."""
        left_out = set(self.held_out(run))
        return tuple(each for each in self.identifiers if each not in left_out)

    def _with_coin(self, coin: bool, run: int) -> tuple[Identifier, ...]:
        at = checks.whole("run", run, 1, self.runs) - 1
        kept = (i for i in self._canary_rows if self._coins[self._units[i]][at] == coin)
        return tuple(self.identifiers[i] for i in kept)

    def check_training_set(self, identifiers: Iterable[Identifier], run: int = 1) -> None:
        """Check that a training used the canaries that the coins chose.

        ValueError, if a member is missing or occurs twice, or a canary that is held out is there.
        """
        used = Counter(map(str, _checked_identifiers("identifiers", identifiers)))
        members, held_out = self.members(run), self.held_out(run)
        problems = {
            "members missing": [each for each in members if str(each) not in used],
            "members repeated": [each for each in members if used[str(each)] > 1],
            "held-out canaries included": [each for each in held_out if str(each) in used],
        }
        _raise_problems("identifiers", f"{len(members)} members and no held-out canary", problems)

    def scores(
        self,
        *by_identifier: Any,
        kind: ScoreKind = "score",
        how: UserStatistic = "mean",
        receipt: str | None = None,
    ) -> AttackScores:
        """Return attack scores for audits: each score is joined to its coin by the identifier.

        Bounds and tests of the result use the methods for fair coins, unless another `sampling` is
        chosen. A bare array is an error: in another order it would show no leak.

        Parameters
        ----------
        *by_identifier : mapping, pandas Series or pairs (identifier, score), one for each run
            The score of each canary, and of nothing else.
        kind : {"score", "loss"}, whether a high score or a low loss means member
        how : {"mean", "max", "min", "sum", "median"}, of the scores of a group, fixed beforehand
        receipt : str, optional, as published: must be that of this plan

        Raises
        ------
        ValueError, if identifiers are missing, unknown or repeated, or a score is not a number

        Examples
        --------
        >>> import dpviz
        >>> plan = dpviz.canaries(n=100, among=range(1000), seed=10**40)
        >>> scores = plan.scores({each: float(each in plan.members()) for each in plan.canaries})
        >>> round(dpviz.audit.lower_bound(scores, delta=1e-5).low, 1)
        2.3
        """
        checks.choice("kind", kind, SCORE_KINDS)
        if receipt is not None and receipt != self.receipt:
            raise checks.fail("receipt", f"{self.receipt!r}, that of this plan", receipt)
        if len(by_identifier) != self.runs:
            condition = f"given once for each of {self.runs} runs"
            raise checks.fail("by_identifier", condition, len(by_identifier))
        sign = -1 if kind == "loss" else 1
        runs = [self._scores_of_run(run, each, sign, how) for run, each in enumerate(by_identifier)]
        known = Provenance(
            source=f"canaries with receipt {self.receipt[:SHOWN_DIGITS]}",
            loader="CanaryPlan",
            understood="a score for each canary, membership by its coin",
            n_rows=len(self._canary_rows) * self.runs,
            receipt=self.receipt,
        )
        return AttackScores(
            member=np.concatenate([each.member for each in runs]),
            nonmember=np.concatenate([each.nonmember for each in runs]),
            provenance=known,
            sampling="fair_coins",
            remarks=self._remarks,
        ).shown_as(kind)

    def _scores_of_run(self, run: int, given: Any, sign: int, how: UserStatistic) -> AttackScores:
        name = "by_identifier" if self.runs == 1 else f"by_identifier of run {run + 1}"
        values = sign * self._joined(name, given)
        units = np.array([self._units[i] for i in self._canary_rows], dtype=object)
        is_member = np.array([self._coins[unit][run] for unit in units], dtype=np.bool_)
        scores = AttackScores(member=values[is_member], nonmember=values[~is_member])
        if self.groups is None:
            return scores
        users: dict[str, NDArray[Any]] = {"member_users": units[is_member]}
        return per_user(scores, **users, nonmember_users=units[~is_member], how=how)

    def _joined(self, name: str, given: Any) -> FloatArray:
        """Return the score of each canary, in the order of `canaries`."""
        pairs = checked_pairs(name, given)
        found = [*map(str, _checked_identifiers(name, [identifier for identifier, _ in pairs]))]
        wanted = [*map(str, self.canaries)]
        known, counts = set(wanted), Counter(found)
        problems = {
            "missing": [each for each in wanted if each not in counts],
            "repeated": [each for each, times in counts.items() if times > 1],
            "that are no canaries of this plan": [each for each in counts if each not in known],
        }
        _raise_problems(name, f"one score for each of {len(wanted)} canaries", problems)
        by_name = dict(zip(found, checks.numeric(name, [score for _, score in pairs]), strict=True))
        values = np.array([by_name[each] for each in wanted])
        without = [each for each in wanted if np.isnan(by_name[each])]
        _raise_problems(name, "a number for each canary", {"without a number": without})
        return values

    @property
    def _remarks(self) -> tuple[str, ...]:
        remarks = []
        if self.groups is not None:
            sizes = Counter(self._units[i] for i in self._canary_rows).values()
            size = f"{min(sizes)}" if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"
            remarks.append(f"epsilon is that of including a whole group of {size} records")
        if self.runs > 1:
            remarks.append(
                f"the coins of {self.runs} runs are pooled: epsilon is that of one run, if each "
                "was trained from scratch with random numbers of its own"
            )
        return tuple(remarks)

    @cached_property
    def state(self) -> dict[str, Any]:
        """The plan and its coins as JSON data, **with the secret seed**."""
        return {
            "schema": SCHEMA,
            "identifiers": [*self.identifiers],
            "groups": None if self.groups is None else [*self.groups],
            "n": self.n,
            "runs": self.runs,
            "members": [[*self.members(run)] for run in range(1, self.runs + 1)],
            "seed": f"{self.seed:x}",
        }

    @cached_property
    def receipt(self) -> str:
        """SHA-256 of `state` in hexadecimal, to be published before the training."""
        return hash_of_state(self.state)

    def save(self, path: str | Path) -> None:
        """Write `state` and `receipt` to a JSON file, to be kept secret until the scores exist."""
        write_state_file(path, {**self.state, "receipt": self.receipt})

    @classmethod
    def load(cls, path: str | Path, *, receipt: str | None = None) -> Self:
        """Read a plan that was saved; ValueError if it was changed, or is not that of `receipt`."""
        state = read_state_file(path, SCHEMA)
        names = ("schema", "identifiers", "groups", "n", "runs", "members", "seed", "receipt")
        given = checked_dict("path", state, names)
        try:
            seed = int(given["seed"], 16)
        except (ValueError, TypeError) as error:
            raise checks.fail("seed", "a hexadecimal number", given["seed"]) from error
        plan = cls(**{name: given[name] for name in names[1:5]}, seed=seed)
        # The coins follow from the seed, so that nobody can choose them.
        for name, value in {**plan.state, "receipt": plan.receipt}.items():
            if state[name] != value:
                way_out = "the file was changed"
                raise checks.fail(name, "as seed and records say", state[name], way_out)
        if receipt is not None and receipt != plan.receipt:
            raise checks.fail(
                "receipt", f"{plan.receipt!r}, that of the plan in this file", receipt
            )
        return plan


def _checked_identifiers(name: str, given: Iterable[Identifier]) -> tuple[Identifier, ...]:
    """Return identifiers as whole numbers if all are whole numbers, else as text."""
    is_plain = isinstance(given, Sequence | np.ndarray) or hasattr(given, "__array__")
    values: Any = (
        given if is_plain and not isinstance(given, str | bytes) else _as_list(name, given)
    )
    texts: list[str] = checked_labels(name, values).tolist()
    entries = values.tolist() if hasattr(values, "tolist") else values
    if {*map(type, entries)} <= {int}:
        return tuple(map(int, texts))
    return tuple(texts)


def _as_list(name: str, given: object) -> list[Any]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise checks.fail(name, "a sequence of identifiers", given)
    return list(given)


def hash_of_state(state: dict[str, Any]) -> str:
    """Return the SHA-256 of JSON data, in hexadecimal; the order of keys does not matter."""
    canonical = json.dumps(state, sort_keys=True, separators=(",", ":"))
    return sha256(canonical.encode()).hexdigest()


def checked_pairs(name: str, given: Any) -> list[tuple[Any, Any]]:
    """Return scores by identifier as pairs; ValueError for scores without identifiers."""
    is_array = isinstance(given, np.ndarray) or not (
        hasattr(given, "items") or isinstance(given, Iterable)
    )
    pairs = [] if is_array else [*(given.items() if hasattr(given, "items") else given)]
    if is_array or not all(isinstance(each, tuple | list) and len(each) == 2 for each in pairs):
        raise checks.fail(name, EXPECTED_SCORES, given)
    return [(identifier, score) for identifier, score in pairs]


def _reject_repeated(name: str, identifiers: Iterable[str]) -> None:
    repeated = [each for each, times in Counter(identifiers).items() if times > 1]
    _raise_problems(name, "distinct identifiers", {"repeated": repeated})


def _raise_problems(name: str, condition: str, problems: dict[str, list[Any]]) -> None:
    """Raise ValueError if a problem has identifiers: how many, and the first of them."""
    found = [
        f"{len(names)} {problem}, such as {checks.shortened_repr(names[0])}"
        for problem, names in problems.items()
        if names
    ]
    if found:
        raise ValueError(f"{name} must have {condition}, got {'; '.join(found)}")
