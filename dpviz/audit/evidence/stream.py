"""A sequential test of a claim while records arrive, valid whenever it stops.

Statement and proof are those of `dpviz.audit.bounds.e_process`: a capital bets against the claim on
pairs of a member and a non-member, in their order of arrival. If the claim is true, the capital
ever reaches ``1 / (1 - confidence_level)`` with probability at most ``1 - confidence_level``. So
one may look after every record and stop for any reason.

**Records that depend on each other.** Step 3 of that proof multiplies the factors of a member and a
non-member, which have to be independent; their mean winnings are u and v, with u + v <= 0. But the
factor ``1 + (member's winnings + non-member's winnings) / 2`` has the mean ``1 + (u + v) / 2 <= 1``
for any dependence, also if winnings are averaged over a batch, separately for each class. The
capital stays a nonnegative supermartingale; all other steps are unchanged.

- *independent*: each record is independent of all others.
- *coupled*: the two records of a pair may depend on each other, such as one canary's scores by a
  model trained with it and by its twin without it.
- *batched*: all records of an update may depend on each other, such as canaries that share a model;
  only the models of different updates have to be independent.

In all three, the distributions of the next pair or batch may depend on what came before.

**Checkpoints of a training: a joint statement.** With probability at least `confidence_level`, no
checkpoint at which the claim is true is ever contradicted, however the checkpoints depend on each
other. One may look after every record and stop for any reason.

**Proof.** The k-th checkpoint has its own `Stream`, which contradicts the claim once its capital
has reached ``1 / (a w_k)``, where ``a = 1 - confidence_level``. By Ville's inequality this ever
happens to a true claim with probability at most ``a w_k``. The shares w_k are fixed beforehand,
equal or ``1 / (k (k + 1))``, and their sum is at most 1. By the union bound, which needs no
independence, the probability of at least one such event is at most a.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.audit.bounds import e_process
from dpviz.audit.bounds.result import AppliesTo, checked_applies_to
from dpviz.audit.evidence.claim import Outcome, require_matching_adjacency
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import SCORE_KINDS, Sampling, ScoreKind
from dpviz.checks import FloatArray
from dpviz.claims.read import read_guarantee
from dpviz.documents import parse_json, read_text
from dpviz.replace_file import replace_file
from dpviz.theory import ApproximateDP
from dpviz.theory.tradeoff import Adjacency
from dpviz.value_object import ValueObject, short_repr

Dependence = Literal["independent", "coupled", "batched"]
DEPENDENCES = ("independent", "coupled", "batched")
SETTINGS = ("sampling", "confidence_level", "kind", "dependence")  # arguments in a state
STREAM_SCHEMA = "dpviz/stream/1"
ROUNDING = 1e-6  # relative, of a capital that is computed again, perhaps by another machine
CHECKPOINTS_STATE = "dpviz/checkpoints/1"
MOST_STATE_BYTES = 2**28  # of a file
PAIRS_PER_BATCH = 500  # coupled pairs whose winnings are held at once


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Look(ValueObject):
    """The state of a stream after one update.

    Parameters
    ----------
    pairs : int, pairs of one member and one non-member seen by then
    wealth : float, the capital against the claim, from a stake of 1

    Examples
    --------
    >>> from dpviz import audit, theory
    >>> look = audit.Stream(theory.PureDP(epsilon=1)).update(member=[3, 4], nonmember=[1])
    >>> look.pairs, round(look.wealth, 9)
    (1, 1.0)
    """

    pairs: int
    wealth: float


class Stream:
    """A sequential test of a claim, valid at every stopping time.

    The test is updated while records arrive, and every look is valid.

    Sources: Ville, "Étude critique de la notion de collectif" (1939); Shafer and Vovk,
    "Game-Theoretic Foundations for Probability and Finance" (2019).

    Parameters
    ----------
    claim : TradeoffFunction, an (epsilon, delta) claim, or anything that `read_claim` reads as one
    confidence_level : float, in [0.5, 1)
    kind : {"score", "loss"}, whether a high score or a low loss means member
    applies_to : {"instance", "mechanism"}, optional
    sampling : {"independent_trainings"}, required for a mechanism
    neighbours : {"add_remove", "replace_one"}, optional; all three as of `claim_test`
    dependence : {"independent", "coupled", "batched"}
        Which records may depend on each other: none, the i-th member and the i-th non-member, or
        all records of one update. Allowing more dependence delays a contradiction.

    Raises
    ------
    ValueError, if an argument is out of range, or the claim is not an (epsilon, delta) one

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz import audit, theory
    >>> stream = audit.Stream(theory.PureDP(epsilon=1))
    >>> rng = np.random.default_rng(1)
    >>> while stream.verdict == "not contradicted":
    ...     _ = stream.update(member=rng.normal(2, 1, 10), nonmember=rng.normal(0, 1, 10))
    >>> stream.pairs, stream.wealth > stream.goal
    (40, True)
    """

    def __init__(
        self,
        claim: object,
        *,
        confidence_level: float = 0.95,
        kind: ScoreKind = "score",
        applies_to: AppliesTo | None = None,
        sampling: Sampling | None = None,
        neighbours: Adjacency | None = None,
        dependence: Dependence = "independent",
    ) -> None:
        guarantee = read_guarantee("claim", claim)
        if not isinstance(guarantee, ApproximateDP):
            raise checks.fail("claim", "an (epsilon, delta) claim", claim)
        whose = checked_applies_to(applies_to, sampling, only="independent_trainings")
        require_matching_adjacency(guarantee, sampling, neighbours)
        checks.choice("kind", kind, SCORE_KINDS)
        checks.choice("dependence", dependence, DEPENDENCES)
        self.claim, self.kind, self.applies_to, self.sampling = guarantee, kind, whose, sampling
        self.dependence = dependence
        self.confidence_level = checks.confidence_level(confidence_level)
        # The state: all records, the looks, and the players' capitals.
        self._looks: list[Look] = []
        self._largest = 1.0
        self._member, self._nonmember = np.zeros(0), np.zeros(0)
        self._batches: list[tuple[int, int]] = []  # numbers of members, non-members by each end
        self._counted = 0  # how many pairs or batches the players have bet on
        self._end = e_process.FIRST_PAIRS  # number of pairs at which the current block ends
        self._players = Bettors(guarantee.claimed_epsilon, guarantee.claimed_delta, self.dependence)

    def __repr__(self) -> str:
        capital = f"wealth={self.wealth!r}, goal={self.goal!r}"
        return f"Stream({self.claim!r}, verdict={self.verdict!r}, pairs={self.pairs}, {capital})"

    def update(self, *, member: ArrayLike = (), nonmember: ArrayLike = ()) -> Look:
        """Add new records in their order of arrival.

        The result has the pair count and the capital. Raises ValueError, before anything is added,
        if a score is not finite or a batch lacks one class.
        """
        members = _checked_finite_scores("member", member)
        nonmembers = _checked_finite_scores("nonmember", nonmember)
        if self.dependence == "batched" and not (members.size and nonmembers.size):
            sizes = f"{members.size} members and {nonmembers.size} non-members"
            raise ValueError(f"a batch must have members and non-members, got {sizes}")
        sign = -1 if self.kind == "loss" else 1  # large scores are member-like
        self._member = np.concatenate([self._member, sign * members])
        self._nonmember = np.concatenate([self._nonmember, sign * nonmembers])
        if self.dependence == "batched":
            self._batches.append((self._member.size, self._nonmember.size))
        return self._bet_and_add_to_history(self.pairs, len(self._batches))

    def _bet_and_add_to_history(self, n_pairs: int, n_batches: int) -> Look:
        """Bet on all pairs up to `n_pairs` (or batches up to `n_batches`); return the look."""
        self._bet_up_to(n_pairs, n_batches)
        look = Look(pairs=n_pairs, wealth=self._players.capital)
        self._looks.append(look)
        self._largest = max(self._largest, look.wealth)
        return look

    def _bet_up_to(self, n_pairs: int, n_batches: int) -> None:
        if self.dependence == "batched":
            # Thresholds change after the batch that reaches the block's end.
            for n, m in self._batches[self._counted : n_batches]:
                begin = self._batches[self._counted - 1] if self._counted else (0, 0)
                self._players.bet(self._member[begin[0] : n], self._nonmember[begin[1] : m])
                self._counted += 1
                if min(n, m) >= self._end:
                    self._set_thresholds_of_next_block(n, m)
            return
        # A block of pairs has one set of thresholds: bet up to its end, or to the last pair.
        while self._counted < n_pairs:
            until = min(self._end, n_pairs)
            new = slice(self._counted, until)
            self._players.bet(self._member[new], self._nonmember[new])
            self._counted = until
            if until == self._end:
                self._set_thresholds_of_next_block(until, until)

    def _set_thresholds_of_next_block(self, n: int, m: int) -> None:
        past_scores = np.concatenate([self._member[:n], self._nonmember[:m]])
        self._players.thresholds = e_process.BlockThresholds.of(past_scores)
        self._end = e_process.next_block_end(min(n, m))

    @property
    def state(self) -> dict[str, Any]:
        """All records so far and each look (pair count, capital), as JSON data for `from_state`."""
        return {
            "schema": STREAM_SCHEMA,
            "epsilon": self.claim.claimed_epsilon,
            "delta": self.claim.claimed_delta,
            "adjacency": self.claim.adjacency,
            **{name: getattr(self, name) for name in SETTINGS},
            "batches": self._batches,
            "member": self._member.tolist(),
            "nonmember": self._nonmember.tolist(),
            "history": [[look.pairs, look.wealth] for look in self._looks],
        }

    def save(self, path: str | Path) -> None:
        """Write the state of the stream to a JSON file.

        `resume` reads the file.
        """
        write_state_file(path, self.state)

    @classmethod
    def resume(cls, path: str | Path) -> "Stream":
        """Continue a stream from a saved file.

        Raises ValueError if the file was not written by `save`.
        """
        return cls.from_state(read_state_file(path, STREAM_SCHEMA))

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> "Stream":
        """Rebuild a stream from its saved state.

        Raises ValueError if `state` is invalid, or if records and capitals disagree.
        """
        try:
            checks.check_version("state.schema", state["schema"], STREAM_SCHEMA)
            adjacency = state["adjacency"]
            claim = ApproximateDP(state["epsilon"], state["delta"], adjacency=adjacency)
            stream = cls(claim, neighbours=adjacency, **{name: state[name] for name in SETTINGS})
            stream._member = _checked_finite_scores("member", state["member"])
            stream._nonmember = _checked_finite_scores("nonmember", state["nonmember"])
            batches = _checked_state_rows("batches", state["batches"])
            history = _checked_state_rows("history", state["history"])
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"state must be a valid {STREAM_SCHEMA!r} state: {error!r}") from error
        # The saved numbers must fit each other before anything is computed from them.
        sizes = (stream._member.size, stream._nonmember.size)
        steps = np.diff(batches, axis=0, prepend=0)
        if batches.size and (np.any(steps < 1) or tuple(batches[-1]) != sizes):
            growing = f"growing numbers of records up to {sizes}"
            raise checks.fail("batches", growing, batches.tolist())
        pairs = history[:, 0].tolist()
        if np.any(np.diff(pairs, prepend=0) < 0) or max(pairs, default=0) != stream.pairs:
            raise checks.fail(
                "history", f"rows with nondecreasing pair counts that end at {stream.pairs}", pairs
            )
        stream._batches = [(int(n), int(m)) for n, m in batches]
        ends = [min(batch) for batch in stream._batches]
        if stream.dependence == "batched" and pairs != ends:
            raise checks.fail("history", f"one row per batch ({ends} pairs after each)", pairs)
        # The history is computed again from the records: a saved capital is not trusted.
        for batch, (n, saved) in enumerate(history.tolist(), start=1):
            look = stream._bet_and_add_to_history(int(n), batch)
            if not math.isclose(look.wealth, saved, rel_tol=ROUNDING):
                of_records = f"{look.wealth:.12g}, as computed from the records"
                raise checks.fail(f"history's wealth after {look.pairs} pairs", of_records, saved)
        return stream

    @property
    def scores(self) -> AttackScores:
        """All records so far in their order of arrival, as attack scores.
        Bounds other than the betting bound need a number of records that was fixed beforehand.
        """
        return AttackScores(member=self._member, nonmember=self._nonmember).shown_as(self.kind)

    @property
    def history(self) -> tuple[Look, ...]:
        """The look (pairs and capital) after each update, in order."""
        return tuple(self._looks)

    @property
    def pairs(self) -> int:
        """The number of pairs of a member and a non-member so far.

        This is the size of the smaller class.
        """
        return min(self._member.size, self._nonmember.size)

    @property
    def wealth(self) -> float:
        """The capital after the last update.

        The capital is 1 before the first update.
        """
        return self._looks[-1].wealth if self._looks else 1.0

    @property
    def goal(self) -> float:
        """The capital at which the claim is contradicted: ``1 / (1 - confidence_level)``."""
        return 1 / (1 - self.confidence_level)

    @property
    def p_value(self) -> float:
        """The p-value of the claim, valid at any stopping time.

        The p-value is 1 / max(1, largest capital so far).
        """
        return 1 / self._largest

    @property
    def verdict(self) -> Outcome:
        """The outcome of the test so far.

        The outcome is "contradicted" once the capital has reached `goal`. The outcome "not
        contradicted" does not confirm the claim.
        """
        return "contradicted" if self._largest >= self.goal else "not contradicted"


class Bettors:
    """Strategies (players) that bet against one (epsilon, delta) claim, with their capitals."""

    def __init__(self, epsilon: float, delta: float, dependence: Dependence) -> None:
        self._dependence = dependence
        self._winnings = e_process.wealth_gains_by_outcome(np.array([epsilon]), delta)
        axes = (e_process.KIND_WEIGHTS, e_process.CUTS, e_process.STAKES)
        self._logs = np.zeros((*(axis.size for axis in axes), 1))
        self.thresholds: e_process.BlockThresholds | None = None  # nobody bets without them

    @property
    def capital(self) -> float:
        """The average capital of the players, each of whom has 1 at first."""
        return float(e_process.mean_wealth(self._logs[None])[0, 0])

    def bet(self, member: FloatArray, nonmember: FloatArray) -> None:
        """Multiply each capital by one factor per record, pair or batch (by type of dependence)."""
        thresholds = self.thresholds
        if thresholds is None:
            return
        if self._dependence == "independent":
            counts = thresholds.count_right_wrong_omitted(member, nonmember)
            self._logs += np.einsum("kdo,ose->kdse", counts, np.log1p(self._winnings))
            return
        # Dependent records: one factor for a pair or a batch, from the mean of its winnings.
        bets = thresholds.bets[:, None, None]
        if self._dependence == "batched":
            shares = thresholds.right_wrong_omitted(member, are_members=True).mean(axis=0)
            shares += thresholds.right_wrong_omitted(nonmember, are_members=False).mean(axis=0)
            won = np.einsum("kdo,ose->kdse", shares, self._winnings)
            self._logs += np.log1p(won / 2) * bets
            return
        for begin in range(0, member.size, PAIRS_PER_BATCH):
            some = slice(begin, begin + PAIRS_PER_BATCH)
            counts = thresholds.right_wrong_omitted(member[some], are_members=True).astype(float)
            counts += thresholds.right_wrong_omitted(nonmember[some], are_members=False)
            won = np.einsum("rkdo,ose->rkdse", counts, self._winnings)
            self._logs += np.log1p(won / 2).sum(axis=0) * bets


def _checked_finite_scores(name: str, values: ArrayLike) -> FloatArray:
    return checks.vector(name, values, finite=True) if np.size(values) else np.zeros(0)


def _checked_state_rows(name: str, values: ArrayLike) -> FloatArray:
    """Return saved rows, shape (k, 2); ValueError unless the first column has whole numbers."""
    rows = checks.reals(name, values, 0) if np.size(values) else np.zeros((0, 2))
    if rows.ndim != 2 or rows.shape[1] != 2 or np.any(rows[:, 0] % 1):
        raise checks.fail(name, "rows of two numbers, the first of them whole", values)
    return rows


class Checkpoints:
    """A test of a claim at several checkpoints of one training.

    The checkpoints have a joint error probability.

    Parameters
    ----------
    claim : TradeoffFunction, an (epsilon, delta) claim, or anything `read_claim` reads as one
    planned : int, optional
        The number of checkpoints, which then share the error probability equally. By default any
        number may follow, and the k-th has a share of ``1 / (k (k + 1))``.
    confidence_level : float, in [0.5, 1), joint, of all checkpoints
    **choices : further arguments of `Stream`

    Attributes
    ----------
    streams : dict of Stream, by checkpoint, in their order

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz import audit, theory
    >>> test = audit.evidence.Checkpoints(theory.PureDP(epsilon=1), planned=3)
    >>> rng = np.random.default_rng(1)
    >>> for epoch in range(3):
    ...     records = {"member": rng.normal(epoch, 1, 200), "nonmember": rng.normal(0, 1, 200)}
    ...     _ = test.update(f"epoch {epoch}", **records)
    >>> test.verdict, test.contradicted
    ('contradicted', ('epoch 2',))
    """

    def __init__(
        self,
        claim: object,
        *,
        planned: int | None = None,
        confidence_level: float = 0.95,
        **choices: Any,
    ) -> None:
        self.planned = None if planned is None else checks.whole("planned", planned, 1)
        self.confidence_level = checks.confidence_level(confidence_level)
        self.streams: dict[str, Stream] = {}
        self._choices = choices
        # Raises ValueError for invalid arguments.
        self.claim = read_guarantee("claim", claim)
        self._new_kth_stream(1)

    def _new_kth_stream(self, k: int) -> Stream:
        level = (1 - self.confidence_level) * share_of_error(k, self.planned)
        return Stream(self.claim, confidence_level=1 - level, **self._choices)

    def __repr__(self) -> str:
        return f"Checkpoints(streams={short_repr(self.streams)}, p_value={self.p_value!r})"

    def update(self, checkpoint: str, *, member: ArrayLike = (), nonmember: ArrayLike = ()) -> Look:
        """Add records, with the scores that one checkpoint gave them.

        The checkpoint may be new or known. The result has the pair count and the capital of this
        checkpoint. Raises ValueError where `Stream.update` raises it, and for more checkpoints than
        planned.
        """
        name, k = str(checkpoint), len(self.streams) + 1
        stream = self.streams.get(name)
        if stream is None:
            if self.planned is not None and k > self.planned:
                raise checks.fail("checkpoint", f"among the {self.planned} planned ones", name)
            stream = self._new_kth_stream(k)
        look = stream.update(member=member, nonmember=nonmember)
        self.streams[name] = stream
        return look

    @property
    def contradicted(self) -> tuple[str, ...]:
        """The checkpoints at which the claim is contradicted, at the joint level."""
        streams = self.streams.items()
        return tuple(name for name, stream in streams if stream.verdict == "contradicted")

    @property
    def p_value(self) -> float:
        """The joint p-value over all checkpoints, by weighted Bonferroni.

        It is the least of p-value / share of the error over the checkpoints, and at most 1.
        """
        each = enumerate(self.streams.values(), 1)
        return min([1.0, *(stream.p_value / share_of_error(k, self.planned) for k, stream in each)])

    @property
    def verdict(self) -> Outcome:
        """Whether the claim is contradicted at a checkpoint."""
        return "contradicted" if self.contradicted else "not contradicted"

    def save(self, path: str | Path) -> None:
        """Write all records and the history of the test as JSON.

        `resume` reads the file.
        """
        state = {
            "schema": CHECKPOINTS_STATE,
            "planned": self.planned,
            "confidence_level": self.confidence_level,
            "empty": self._new_kth_stream(1).state,
            "streams": {name: stream.state for name, stream in self.streams.items()},
        }
        write_state_file(path, state)

    @classmethod
    def resume(cls, path: str | Path) -> "Checkpoints":
        """Continue a test from a saved file.

        Raises ValueError if the file was not written by `save`.
        """
        state = read_state_file(path, CHECKPOINTS_STATE)
        try:
            empty = Stream.from_state(state["empty"])
            chosen = {name: getattr(empty, name) for name in SETTINGS}
            chosen |= {"neighbours": empty.claim.adjacency, "planned": state["planned"]}
            chosen["confidence_level"] = state["confidence_level"]
            test = cls(empty.claim, **chosen)
            saved = state["streams"].items()
            # The k-th checkpoint's stream has the k-th share of the error probability.
            for k, (name, each) in enumerate(saved, 1):
                level = test._new_kth_stream(k).confidence_level
                # All streams must have one claim and one kind of records.
                own = {key: each[key] for key in ("member", "nonmember", "batches", "history")}
                again = {**empty.state, **own, "confidence_level": level}
                if {**each, **own, "confidence_level": level} != again:
                    raise checks.fail("streams", "tests with one claim and the same settings", name)
                test.streams[name] = Stream.from_state(again)
        except (KeyError, TypeError, AttributeError) as error:
            raise checks.fail("path", f"a file of schema {CHECKPOINTS_STATE}", str(path)) from error
        if test.planned is not None and len(saved) > test.planned:
            raise checks.fail("streams", f"at most {test.planned}, the planned number", len(saved))
        return test


def share_of_error(k: int, planned: int | None) -> float:
    """Return the share of the error probability of the k-th checkpoint; all add up to at most 1."""
    return 1 / (k * (k + 1)) if planned is None else 1 / planned


def write_state_file(path: str | Path, state: dict[str, Any]) -> None:
    """Write a `Stream.state` to a JSON file; an interruption leaves the old file unchanged."""
    content = json.dumps(state, allow_nan=False).encode()
    if len(content) > MOST_STATE_BYTES:  # it could not be read again
        raise checks.fail("state", f"at most {MOST_STATE_BYTES} bytes", len(content))
    replace_file(path, content)


def read_state_file(path: str | Path, schema: str) -> dict[str, Any]:
    """Return a state that `write_state_file` wrote; ValueError if its "schema" is not `schema`."""
    state = parse_json("path", read_text("path", path, MOST_STATE_BYTES))
    if not isinstance(state, dict) or "schema" not in state:
        raise checks.fail("path", f"a file of schema {schema}", str(path))
    checks.check_version(f"schema of {Path(path).name}", state["schema"], schema)
    return state
