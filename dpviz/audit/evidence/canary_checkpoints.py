"""A test of a claim by canaries at the checkpoints of one training, with a joint error probability.

**Statement.** With probability at least `confidence_level`, no bound exceeds the epsilon of its
checkpoint, and no checkpoint at which the claim is true is ever contradicted, however the
checkpoints depend on each other. One may stop the training at any of them, for any reason.

**Proof.** The bound of the k-th checkpoint has the error probability ``a w_k``, where ``a = 1 -
confidence_level`` and the shares w_k, fixed beforehand, add up to at most 1 (`stream`). By the
union bound, the probability that any bound is false is at most a. A checkpoint is an output of the
training so far, so its epsilon is at most that of the whole training.
"""

from typing import Any

from dpviz import checks
from dpviz.audit.evidence.canary_plan import CanaryPlan
from dpviz.audit.evidence.claim import ClaimTest, Outcome, claim_test, require_matching_adjacency
from dpviz.audit.evidence.stream import share_of_error
from dpviz.claims.read import read_guarantee
from dpviz.theory import ApproximateDP
from dpviz.theory.tradeoff import Adjacency
from dpviz.value_object import short_repr


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
        self._neighbours, self._how = neighbours, how

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
        scores = self.plan.scores(by_identifier, **self._how)
        chosen: dict[str, Any] = {"neighbours": self._neighbours, "confidence_level": 1 - level}
        self.tests[name] = claim_test(scores, self.claim, **chosen)
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
