"""Rates without the scores behind them: rejected, with the reason."""

from dpviz.audit.scores.base import Scores
from dpviz.data.conventions.convention import Convention
from dpviz.data.conventions.labelled import TABLE
from dpviz.data.sources.options import ReadOptions, quoted
from dpviz.data.tables.columns import RATE_COLUMNS, only_rates
from dpviz.data.tables.fields import Fields

SIDE_FILE = "arrays_file"  # SACRO-ML's report names the file that holds the scores so


def _last(name: str) -> str:
    return name.rpartition(".")[2].casefold()


def _accepts(fields: Fields) -> bool:
    return any(_last(name) in RATE_COLUMNS for name in fields.names)


def _read(fields: Fields, options: ReadOptions) -> Scores:
    if options.score is not None and options.member is not None:
        return TABLE.read(fields, options)
    rates = dict.fromkeys(
        name.rpartition(".")[2] for name in fields.names if _last(name) in RATE_COLUMNS
    )
    beside = [fields.load(name) for name in fields.names if _last(name) == SIDE_FILE]
    hint = f"; scores may be in {', '.join(map(quoted, beside))}" if beside else ""
    raise only_rates(fields.where, rates, hint)


RATES = Convention(
    name="rates", keys="fpr, tpr, auc: rejected, scores are needed", accepts=_accepts, read=_read
)
