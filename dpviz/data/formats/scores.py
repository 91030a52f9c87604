"""Attack scores as they are."""

from dpviz.audit.binned_scores import BinnedScores, Scores
from dpviz.audit.scores import AttackScores
from dpviz.data.formats.format import Format, ReadError, ReadOptions


def _accepts(source: object) -> bool:
    return isinstance(source, AttackScores | BinnedScores)


def _read(source: Scores, options: ReadOptions) -> Scores:
    name = type(source).__name__
    options.refuse_columns(name)
    if options.kind not in (None, source.kind):
        raise ReadError(
            f"the kind of these {name} is {source.kind!r} already, got kind={options.kind!r}"
        )
    return source


SCORES = Format(name="AttackScores or BinnedScores", accepts=_accepts, read=_read)
