"""Rates without the scores behind them: rejected, with the reason."""

from dpviz.audit.scores.base import Scores
from dpviz.data.conventions.convention import Convention
from dpviz.data.conventions.labelled import TABLE
from dpviz.data.sources.options import ReadError, ReadOptions, listed, quoted
from dpviz.data.tables.fields import Fields

NAMES = ("fpr", "tpr", "roc_auc", "auc", "advantage")
SIDE_FILE = "arrays_file"  # SACRO-ML's report names the file that holds the scores so


def _last(name: str) -> str:
    return name.rpartition(".")[2].casefold()


def _accepts(fields: Fields) -> bool:
    return any(_last(name) in NAMES for name in fields.names)


def _read(fields: Fields, options: ReadOptions) -> Scores:
    if options.score is not None and options.member is not None:
        return TABLE.read(fields, options)
    rates = dict.fromkeys(name.rpartition(".")[2] for name in fields.names if _last(name) in NAMES)
    beside = [fields.load(name) for name in fields.names if _last(name) == SIDE_FILE]
    hint = f"; scores may be in {', '.join(map(quoted, beside))}" if beside else ""
    raise ReadError(
        f"{fields.where}: expected scores, got rates only ({listed(rates)}): without the numbers "
        "of records behind them nothing can be bounded; dpviz needs the score and the membership "
        f"of each record{hint}"
    )


RATES = Convention(
    name="rates", keys="fpr, tpr, auc: rejected, scores are needed", accepts=_accepts, read=_read
)
