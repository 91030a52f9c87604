"""Attack scores as they are."""

from dpviz.audit.scores import AttackScores
from dpviz.data.formats.format import Format, ReadError, ReadOptions


def _accepts(source: object) -> bool:
    return isinstance(source, AttackScores)


def _read(source: AttackScores, options: ReadOptions) -> AttackScores:
    options.refuse_columns("AttackScores")
    if options.kind not in (None, source.kind):
        raise ReadError(
            f"the kind of these AttackScores is {source.kind!r} already, got kind={options.kind!r}"
        )
    return source


SCORES = Format("AttackScores", _accepts, _read)
