"""Attack scores, returned as they are."""

from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import Scores
from dpviz.audit.scores.binned_scores import BinnedScores
from dpviz.data.formats.format import Format
from dpviz.data.sources.options import ReadError, ReadOptions


def _read(source: Scores, options: ReadOptions) -> Scores:
    name = type(source).__name__
    options.reject_columns(name)
    if options.kind not in (None, source.kind):
        raise ReadError(
            f"the kind of these {name} is {source.kind!r} already, got kind={options.kind!r}"
        )
    return source


SCORES = Format(
    name="AttackScores or BinnedScores",
    recognise=lambda source: isinstance(source, AttackScores | BinnedScores),
    reader=_read,
)
