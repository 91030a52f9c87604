"""The parts of several attacks on one model."""

from dpviz.analysis.attacks import Attacks
from dpviz.analysis.memo import memoised
from dpviz.analysis.parts.attacks import AttacksPart, ComparedAttack, are_same_records
from dpviz.analysis.parts.sample import SampleParts
from dpviz.audit import Difference, Stretch, auc_difference, lowest_curves, tpr_difference
from dpviz.audit.scores.base import Scores


class ComparedParts(SampleParts):
    """What one attack shows, and others beside it, memoised on this instance."""

    @memoised
    def attacks(
        self, fpr: float, level: float, others: Attacks, same_records: bool | None
    ) -> AttacksPart | None:
        """The other attacks at an FPR; None where there are none."""
        if not others:
            return None
        compared = tuple(
            self._compared(name, scores, fpr, level, self._paired(scores, same_records))
            for name, scores in others.items()
        )
        return AttacksPart(compared=compared, stretches=self._stretches(others))

    @memoised
    def beside(self, scores: Scores) -> SampleParts:
        """The parts of another attack that is compared with this one."""
        return SampleParts(scores)

    def _paired(self, scores: Scores, same_records: bool | None) -> bool:
        if same_records is None:
            return are_same_records(self._loaded(), scores)
        return same_records

    @memoised
    def _compared(
        self, name: str, scores: Scores, fpr: float, level: float, paired: bool
    ) -> ComparedAttack:
        first, other = self._loaded(), self.beside(scores)
        at = other.evidence()
        return ComparedAttack(
            name=name,
            scores=scores,
            attack=other.attack(),
            band=at.band(level),
            at_fpr=other.operating_point(fpr),
            auc=at.rates(fpr, level).auc.value,
            auc_difference=self._auc_difference(scores, level, paired),
            tpr_difference=tpr_difference(
                first,
                scores,
                fpr,
                curves=(self.curve(), other.curve()),
                confidence_level=level,
                paired=paired,
            ),
        )

    @memoised
    def _auc_difference(self, scores: Scores, level: float, paired: bool) -> Difference:
        return auc_difference(self._loaded(), scores, confidence_level=level, paired=paired)

    @memoised
    def _stretches(self, others: Attacks) -> tuple[Stretch, ...]:
        return lowest_curves(
            [self.curve(), *(self.beside(scores).curve() for scores in others.values())]
        )
