"""Several (epsilon, delta) statements about one mechanism, or points of its privacy profile."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.theory.atoms import Atoms, FiniteLoss
from dpviz.theory.statements import intersection
from dpviz.theory.tradeoff import Adjacency, checked_adjacency

MOST_SHOWN = 4  # statements that are printed one by one


@dataclass(frozen=True, init=False, repr=False)
class Stated(FiniteLoss):
    """All attacks that every one of several (epsilon, delta) statements allows.

    The trade-off curve is the largest of theirs: each excludes what it excludes, and nothing more
    is excluded (Dong, Roth and Su, 2022, proposition 2.12).

    Parameters
    ----------
    statements : array, shape (k, 2)
        Rows epsilon, in [0, inf], and delta, in [0, 1].
    error : float, in [0, 1]: how far below an exact curve this one may lie, if it stands for one

    Raises
    ------
    ValueError
        If there is no statement, or a number leaves its range.

    Examples
    --------
    >>> from dpviz.theory import Stated
    >>> claim = Stated([(1.0, 1e-5), (0.5, 0.01)])
    >>> round(claim.tpr(0.001), 5), round(claim.tpr(0.1), 5)  # each of the two in its turn
    (0.00273, 0.17487)
    """

    statements: tuple[tuple[float, float], ...]
    adjacency: Adjacency
    stated_error: float

    def __init__(
        self,
        statements: ArrayLike,
        *,
        adjacency: Adjacency = "replace_one",
        error: float = 0.0,
    ) -> None:
        table = checks.numeric("statements", statements)
        if table.ndim != 2 or table.shape[1] != 2 or not len(table):
            raise checks.fail("statements", "pairs (epsilon, delta), at least one", table.shape)
        epsilon = checks.reals("epsilon of a statement", table[:, 0], 0, float("inf"))
        delta = checks.reals("delta of a statement", table[:, 1], 0, 1)
        rows = tuple(zip(epsilon.tolist(), delta.tolist(), strict=True))
        object.__setattr__(self, "statements", rows)
        object.__setattr__(self, "adjacency", checked_adjacency(adjacency))
        object.__setattr__(self, "stated_error", checks.real("error", error, 0, 1))

    is_symmetric = True

    @property
    def parameters(self) -> dict[str, Any]:
        """`statements`, and `error` if there is one."""
        error = {"error": self.stated_error} if self.stated_error else {}
        return {"statements": self.statements, **error}

    @property
    def error(self) -> float:
        return self.stated_error

    def _atoms(self) -> Atoms:
        return intersection(*checks.numeric("statements", self.statements).T)

    def __repr__(self) -> str:
        if len(self.statements) <= MOST_SHOWN:
            return super().__repr__()
        return f"{type(self).__name__}({len(self.statements)} statements)"
