"""The trade-off function of any two distributions on a finite set of outputs."""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.theory.atoms import Atoms, FinitelyManyLosses
from dpviz.theory.outputs import MOST_BARS, DiscreteOutputs
from dpviz.theory.tradeoff import Adjacency, TradeoffFunction


@dataclass(frozen=True, init=False, repr=False)
class DiscretePair(FinitelyManyLosses):
    """The exact trade-off function T(P, Q) of two probability vectors (Neyman-Pearson).

    The curve is for this order of the pair; `min_symmetrized` is the guarantee for both orders.

    Parameters
    ----------
    P, Q : array, shape (k,)
        Probabilities of the same k outputs for a non-member (P, field `nonmember`) and a member.
    error : float, in [0, 1], bound in FNR on how far this curve is below the exact one, if any

    Examples
    --------
    >>> from dpviz.theory import DiscretePair
    >>> DiscretePair([0.9, 0.1], [0.5, 0.5]).tpr(0.1)  # "member" on the second output
    0.5
    """

    nonmember: tuple[float, ...]
    member: tuple[float, ...]
    adjacency: Adjacency
    stated_error: float
    _long_field = "member", 8, "outputs"

    def __init__(
        self,
        P: ArrayLike,  # noqa: N803 - the field's names for the distributions
        Q: ArrayLike,  # noqa: N803
        *,
        adjacency: Adjacency = "replace_one",
        error: float = 0.0,
    ) -> None:
        p, q = checks.pmf("P", P), checks.pmf("Q", Q)
        if len(p) != len(q):
            raise checks.fail("Q", f"as long as P ({len(p)} outputs)", len(q))
        error = checks.real("error", error, 0, 1)
        masses = {"nonmember": tuple(p.tolist()), "member": tuple(q.tolist())}
        self._set_fields(**masses, adjacency=adjacency, stated_error=error)

    @classmethod
    def of(cls, atoms: Atoms, *, like: TradeoffFunction) -> DiscretePair:
        """Return the pair with these atoms, with the adjacency and numerical error of `like`."""
        return cls.with_losses(atoms, adjacency=like.adjacency, error=like.error)

    @classmethod
    def with_losses(
        cls, atoms: Atoms, *, adjacency: Adjacency = "replace_one", error: float = 0.0
    ) -> DiscretePair:
        """Return a pair that keeps the masses and losses of `atoms`."""
        pair = cls(atoms.p, atoms.q, adjacency=adjacency, error=error)
        pair.__dict__["cached_atoms"] = atoms
        return pair

    def through(self, channel: ArrayLike) -> DiscretePair:
        """Return the pair after post-processing, in which `channel` replaces outputs at random.

        Post-processing never lowers the curve (Dong, Roth and Su, 2022, lemma 2.9).

        Parameters
        ----------
        channel : array, shape (k, r)
            ``channel[i, j]`` is the probability that output i becomes the new output j, of r.

        Raises
        ------
        ValueError, if there are not as many rows as outputs, or a row is no distribution

        Examples
        --------
        >>> from dpviz.theory import DiscretePair
        >>> pair = DiscretePair([0.7, 0.2, 0.1], [0.1, 0.2, 0.7])
        >>> merged = pair.through([[1, 0], [1, 0], [0, 1]])  # nobody can tell the first two apart
        >>> round(pair.tpr(0.3), 4), round(merged.tpr(0.3), 4)
        (0.9, 0.7667)
        """
        rows = checks.numeric("channel", channel)
        k = len(self.member)
        if rows.ndim != 2 or rows.shape[0] != k:
            raise checks.fail("channel", f"a table with {k} rows, one per output", rows.shape)
        rows = np.array([checks.pmf(f"row {i} of channel", rows[i]) for i in range(k)])
        p, q = np.array(self.nonmember) @ rows, np.array(self.member) @ rows
        p, q = p / p.sum(), q / q.sum()  # against rounding
        return DiscretePair(p, q, adjacency=self.adjacency, error=self.stated_error)

    @property
    def parameters(self) -> dict[str, Any]:
        error = {"error": self.stated_error} if self.stated_error else {}
        return {"P": self.nonmember, "Q": self.member, **error}

    error = property(attrgetter("stated_error"))

    def outputs(self) -> DiscreteOutputs | None:
        """Return P and Q as distributions of the numbered outputs.

        The result is None if there are more than `MOST_BARS` outputs.
        """
        if len(self.member) > MOST_BARS:
            return None
        numbers = tuple(map(str, range(len(self.member))))
        p, q, atoms = np.array(self.nonmember), np.array(self.member), self.atoms()
        # The losses of the atoms may be more exact than those of masses near the smallest float.
        is_same = np.array_equal(atoms.p, p) and np.array_equal(atoms.q, q)
        loss = atoms.loss if is_same else None
        return DiscreteOutputs.of("output number", numbers, p, q, loss=loss)

    def _compute_atoms(self) -> Atoms:
        return Atoms.of(np.array(self.nonmember), np.array(self.member))
