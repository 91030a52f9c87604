"""What published deployments allow at the FPR of examples, beside the claim."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpviz.analysis.memo import memoised
from dpviz.claims.deployments.table import Deployment, Per, read_sample_registry
from dpviz.theory import TradeoffFunction, risk


@dataclass(frozen=True, kw_only=True)
class Row:
    """A deployment, what it states of so many units together, and the largest TPR at an FPR."""

    deployment: Deployment
    guarantee: TradeoffFunction
    tpr: float

    def ppv(self, fpr: float, prior: float) -> float:
        """The largest share of right "member" answers at this FPR."""
        return float(risk.ppv(self.guarantee, fpr=fpr, prior=prior))


@dataclass(frozen=True, kw_only=True, eq=False)
class DeploymentsPart:
    """Deployments of one kind of unit, from the least TPR on; `pair` are two of any unit.

    `units` are taken together; `own` is the TPR that the claim allows for one.
    """

    per: Per
    units: int
    fpr: float
    prior: float
    rows: tuple[Row, ...]
    pair: tuple[Row, ...]
    claim: TradeoffFunction
    own: float

    @cached_property
    def exposed(self) -> int:
        """Number of deployments that allow an attack a TPR above 1/2."""
        return int(np.sum([row.tpr > 0.5 for row in self.rows]))


class Deployments:
    """Computes the part; the same arguments give the same object."""

    def __init__(self) -> None:
        self.known = {
            each.label: each for each in read_sample_registry() if each.guarantee is not None
        }

    @memoised
    def part(
        self,
        claim: TradeoffFunction,
        per: Per,
        units: int,
        pair: tuple[str, ...],
        fpr: float,
        prior: float,
    ) -> DeploymentsPart:
        """All deployments of one kind of unit, and two of any by their labels."""
        return DeploymentsPart(
            per=per,
            units=units,
            fpr=fpr,
            prior=prior,
            rows=self._rows(per, units, fpr),
            pair=self._pair(pair, units, fpr),
            claim=claim,
            own=claim.tpr(fpr),
        )

    @memoised
    def _rows(self, per: Per, units: int, fpr: float) -> tuple[Row, ...]:
        rows = [
            self._row(label, units, fpr) for label, each in self.known.items() if each.per == per
        ]
        return tuple(sorted(rows, key=lambda row: (row.tpr, row.deployment.label)))

    @memoised
    def _pair(self, labels: tuple[str, ...], units: int, fpr: float) -> tuple[Row, ...]:
        return tuple(self._row(label, units, fpr) for label in labels)

    def _row(self, label: str, units: int, fpr: float) -> Row:
        guarantee = self._covering(units)[label]
        return Row(deployment=self.known[label], guarantee=guarantee, tpr=guarantee.tpr(fpr))

    @memoised
    def _covering(self, units: int) -> dict[str, TradeoffFunction]:
        """What each states of so many units. Another FPR finds the curves of zCDP made."""
        return {label: each.covering(units) for label, each in self.known.items()}
