"""A test of a claim by canaries at the checkpoints of one training, with a joint error probability.

**Statement.** With probability at least `confidence_level`, no bound exceeds the epsilon of its
checkpoint, and no checkpoint at which the claim is true is ever contradicted, however the
checkpoints depend on each other. One may stop the training at any of them, for any reason.

**Proof.** The bound of the k-th checkpoint has the error probability ``a w_k``, where ``a = 1 -
confidence_level`` and the shares w_k, fixed beforehand, add up to at most 1 (`stream`). By the
union bound, the probability that any bound is false is at most a. A checkpoint is an output of the
training so far, so its epsilon is at most that of the whole training.
"""

from pathlib import Path
from typing import Any

from dpviz import checks
from dpviz.audit.evidence.canary_plan import CanaryPlan, checked_pairs, hash_of_state
from dpviz.audit.evidence.claim import ClaimTest, Outcome, claim_test, require_matching_adjacency
from dpviz.audit.evidence.stream import read_state_file, share_of_error, write_state_file
from dpviz.claims.read import read_guarantee
from dpviz.documents import checked_dict
from dpviz.theory import ApproximateDP
from dpviz.theory.tradeoff import Adjacency
from dpviz.value_object import short_repr

SCHEMA = "dpviz/canary_checkpoints/1"
SETTINGS = ("planned", "confidence_level", "neighbours")  # arguments in a state
CLAIM = ("epsilon", "delta", "adjacency")


class CanaryCheckpoints:
    """A test of a privacy claim by canaries, repeated at checkpoints of a training.

    Parameters
    ----------
    plan : CanaryPlan, of one run
    claim : TradeoffFunction, an (epsilon, delta) claim, or anything `read_claim` reads as one
    planned : int, optional
        The number of checkpoints, which then share the error probability equally. By default any
        number may follow, and the k-th has a share of ``1 / (k (k + 1))``.
    confidence_level : float, in [0.5, 1), joint, of all checkpoints
    neighbours : {"add_remove", "replace_one"}, optional, as of `claim_test`
    **how : further arguments of `CanaryPlan.scores`

    Attributes
    ----------
    tests : dict of ClaimTest, by checkpoint, in their order

    Examples
    --------
    >>> import numpy as np
    >>> import dpviz
    >>> plan = dpviz.canaries(n=200, among=range(1000), seed=10**40)
    >>> claim = dpviz.theory.ApproximateDP(1.0, 1e-6, adjacency="add_remove")
    >>> test = dpviz.audit.evidence.CanaryCheckpoints(plan, claim, planned=3)
    >>> rng, members = np.random.default_rng(1), set(plan.members())
    >>> for epoch in range(3):
    ...     leak = {each: rng.normal(epoch * (each in members)) for each in plan.canaries}
    ...     _ = test.update(f"epoch {epoch}", leak)
    >>> test.contradicted, test.low > 1
    (('epoch 2',), True)
    """

    def __init__(
        self,
        plan: CanaryPlan,
        claim: object,
        *,
        planned: int | None = None,
        confidence_level: float = 0.95,
        neighbours: Adjacency | None = None,
        **how: Any,
    ) -> None:
        checks.must_be_a("plan", plan, CanaryPlan, "a plan, as dpviz.canaries makes it")
        if plan.runs != 1:
            raise checks.fail("plan", "of one run (the test is of its checkpoints)", plan)
        guarantee = read_guarantee("claim", claim)
        if not isinstance(guarantee, ApproximateDP):
            raise checks.fail("claim", "an (epsilon, delta) claim", claim)
        require_matching_adjacency(guarantee, "fair_coins", neighbours)
        self.plan, self.claim, self.tests = plan, guarantee, dict[str, ClaimTest]()
        self.planned = None if planned is None else checks.whole("planned", planned, 1)
        self.confidence_level = checks.confidence_level(confidence_level)
        self.neighbours, self._how = neighbours, how
        # Scores by checkpoint and identifier, as text: JSON has no infinite numbers.
        self._scores: dict[str, dict[str, str]] = {}

    def __repr__(self) -> str:
        return f"CanaryCheckpoints(verdict={self.verdict!r}, tests={short_repr(self.tests)})"

    def update(self, checkpoint: str, by_identifier: Any) -> ClaimTest:
        """Test the claim by the scores of all canaries at a new checkpoint; return the test.
        ValueError where `CanaryPlan.scores` raises it, for a second test of a checkpoint, and for
        more checkpoints than planned.
        """
        name, k = str(checkpoint), len(self.tests) + 1
        if name in self.tests:
            raise checks.fail("checkpoint", "a new one: each is tested once", name)
        if self.planned is not None and k > self.planned:
            raise checks.fail("checkpoint", f"one of the {self.planned} planned ones", name)
        level = (1 - self.confidence_level) * share_of_error(k, self.planned)
        pairs = checked_pairs("by_identifier", by_identifier)
        scores = self.plan.scores(pairs, **self._how)
        chosen: dict[str, Any] = {"neighbours": self.neighbours, "confidence_level": 1 - level}
        self.tests[name] = claim_test(scores, self.claim, **chosen)
        self._scores[name] = {str(identifier): str(float(score)) for identifier, score in pairs}
        return self.tests[name]

    @property
    def contradicted(self) -> tuple[str, ...]:
        """The checkpoints at which the claim is contradicted, at the joint level."""
        tests = self.tests.items()
        return tuple(name for name, test in tests if test.outcome == "contradicted")

    @property
    def low(self) -> float:
        """The largest lower bound on epsilon of all checkpoints, at the joint level."""
        return max((test.bound.low for test in self.tests.values() if test.bound), default=0.0)

    @property
    def verdict(self) -> Outcome:
        """Whether the claim is contradicted at a checkpoint."""
        return "contradicted" if self.contradicted else "not contradicted"

    @property
    def state(self) -> dict[str, Any]:
        """All scores so far as JSON data; of the plan only the receipt, so no secret."""
        claim = (self.claim.claimed_epsilon, self.claim.claimed_delta, self.claim.adjacency)
        return {
            "schema": SCHEMA,
            "receipt": self.plan.receipt,
            **dict(zip(CLAIM, claim, strict=True)),
            **{name: getattr(self, name) for name in SETTINGS},
            "how": self._how,
            "scores": [[name, scores] for name, scores in self._scores.items()],
        }

    def save(self, path: str | Path) -> None:
        """Write `state` and its hash to a JSON file, for `resume`."""
        write_state_file(path, {**self.state, "hash": hash_of_state(self.state)})

    @classmethod
    def resume(cls, path: str | Path, plan: CanaryPlan) -> "CanaryCheckpoints":
        """Continue a test from a saved file; all bounds are computed again.
        ValueError if the file was changed, or `plan` is another plan.
        """
        state = read_state_file(path, SCHEMA)
        names = ("schema", "receipt", *CLAIM, *SETTINGS, "how", "scores", "hash")
        saved_hash = checked_dict("path", state, names).pop("hash")
        if saved_hash != hash_of_state(state):
            raise checks.fail(
                "hash", "that of the other entries", saved_hash, "the file was changed"
            )
        checks.must_be_a("plan", plan, CanaryPlan, "a plan, as CanaryPlan.load reads it")
        if plan.receipt != state["receipt"]:
            condition = f"that with the receipt {state['receipt']!r} of the file"
            raise checks.fail("plan", condition, plan.receipt)
        epsilon, delta, adjacency = (state[name] for name in CLAIM)
        claim = ApproximateDP(epsilon, delta, adjacency=adjacency)
        test = cls(plan, claim, **{name: state[name] for name in SETTINGS}, **state["how"])
        for name, scores in state["scores"]:
            test.update(name, {identifier: float(text) for identifier, text in scores.items()})
        return test
