"""One claim at several checkpoints of a training: a joint statement, at any time.

**Statement.** With probability at least `confidence_level`, no checkpoint at which the claim is
true is ever contradicted. Checkpoints may depend on each other in any way, for instance because
all of them score the same records; one may look after every record and stop for any reason.

**Proof.** The k-th checkpoint has a `Stream` of its own, which contradicts the claim once its
capital has reached ``1 / (a w_k)``, where ``a = 1 - confidence_level``. By Ville's inequality a
true claim's capital ever does so with probability at most ``a w_k``, whenever one stops. The shares
w_k are fixed beforehand, equal or ``1 / (k (k + 1))``, and their sum is at most 1. By the union
bound, which needs no independence, any of these events has probability at most a.
"""

from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.audit.evidence.claim import Outcome
from dpviz.audit.evidence.state_file import read_state, write_state
from dpviz.audit.evidence.stream import Look, Stream

STATE = "dpviz/checkpoints/1"


class Checkpoints:
    """A claim under test at the checkpoints of one training, with a joint statement.

    Parameters
    ----------
    claim : TradeoffFunction, an (epsilon, delta) claim, or anything `read_claim` reads as one
    planned : int, optional
        The number of checkpoints, which then share the level equally. By default any number may
        follow, and the k-th has a share of ``1 / (k (k + 1))``.
    confidence_level : float, in (0, 1), joint, of all checkpoints
    **choices : further arguments of `Stream`

    Attributes
    ----------
    streams : dict of Stream, by checkpoint, in their order
    contradicted : tuple of str, the checkpoints at which the claim is contradicted
    p_value : float, valid at any time, that the claim is true at all checkpoints
    verdict : {"contradicted", "not decidable"}, the former if it is contradicted at one

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Ville, "Étude critique de la notion de collectif" (1939).

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz import audit, theory
    >>> test = audit.Checkpoints(theory.PureDP(epsilon=1), planned=3)
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
        self.confidence_level = checks.real(
            "confidence_level", confidence_level, 0, 1, closed="neither"
        )
        self.streams: dict[str, Stream] = {}
        self._claim, self._choices = claim, choices
        self._new_stream(1)  # an error in the arguments is one now

    def _share(self, k: int) -> float:
        return 1 / (k * (k + 1)) if self.planned is None else 1 / self.planned

    def _new_stream(self, k: int) -> Stream:
        level = (1 - self.confidence_level) * self._share(k)
        return Stream(self._claim, confidence_level=1 - level, **self._choices)

    def update(self, checkpoint: str, *, member: ArrayLike = (), nonmember: ArrayLike = ()) -> Look:
        """Take in records as a checkpoint scores them, and look.

        Parameters
        ----------
        checkpoint : str, a new one or an earlier one
        member, nonmember : array-like, as of `Stream.update`

        Returns
        -------
        Look, of this checkpoint

        Raises
        ------
        ValueError
            If a score is not a finite number, or there are more checkpoints than planned; then
            nothing is taken in.
        """
        name, k = str(checkpoint), len(self.streams) + 1
        stream = self.streams.get(name)
        if stream is None:
            if self.planned is not None and k > self.planned:
                raise checks.fail("checkpoint", f"one of the {self.planned} planned", name)
            stream = self._new_stream(k)
        look = stream.update(member=member, nonmember=nonmember)
        self.streams[name] = stream
        return look

    @property
    def contradicted(self) -> tuple[str, ...]:
        """The checkpoints at which the claim is contradicted, at the joint level."""
        found = self.streams.items()
        return tuple(name for name, stream in found if stream.verdict == "contradicted")

    @property
    def p_value(self) -> float:
        """The smallest of the checkpoints' p-values over their shares, at most 1."""
        each = enumerate(self.streams.values(), 1)
        return min([1.0, *(stream.p_value / self._share(k) for k, stream in each)])

    @property
    def verdict(self) -> Outcome:
        """Whether the claim is contradicted at one of the checkpoints."""
        return "contradicted" if self.contradicted else "not decidable"

    def save(self, path: str | Path) -> None:
        """Write everything seen so far as JSON; `resume` reads it.

        Parameters
        ----------
        path : str or Path
        """
        first = self._new_stream(1)
        state = {
            "schema": STATE,
            "planned": self.planned,
            "confidence_level": self.confidence_level,
            "empty": first.state,
            "streams": {name: stream.state for name, stream in self.streams.items()},
        }
        write_state(path, state)

    @classmethod
    def resume(cls, path: str | Path) -> "Checkpoints":
        """Continue a test that was saved.

        Parameters
        ----------
        path : str or Path

        Returns
        -------
        Checkpoints

        Raises
        ------
        ValueError
            If the file was not written by `save`.
        """
        state = read_state(path, STATE)
        try:
            empty = Stream.from_state(state["empty"])
            test = cls(
                empty.claim,
                planned=state["planned"],
                confidence_level=state["confidence_level"],
                kind=empty.kind,
                applies_to=empty.applies_to,
                neighbours=empty.claim.adjacency,
                dependence=empty.dependence,
            )
            saved = state["streams"].items()
            for k, (name, each) in enumerate(saved, 1):
                level = test._new_stream(k).confidence_level
                # All of one claim and one kind of records.
                own = {key: each[key] for key in ("member", "nonmember", "batches", "history")}
                again = {**empty.state, **own, "confidence_level": level}
                if {**each, **own, "confidence_level": level} != again:
                    raise checks.fail("streams", "of one claim and one dependence", name)
                test.streams[name] = Stream.from_state(again)
        except (KeyError, TypeError, AttributeError) as error:
            raise checks.fail("path", f"a file of schema {STATE}", str(path)) from error
        if test.planned is not None and len(saved) > test.planned:
            raise checks.fail("streams", f"of the {test.planned} planned checkpoints", len(saved))
        return test
