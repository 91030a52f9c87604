"""The registry of naming conventions: names of arrays, tables and counts in other tools."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from typing import Any

import numpy as np

from dpviz.audit.scores.base import Provenance, ScoreKind, Scores
from dpviz.audit.scores.binned_scores import BinnedScores
from dpviz.audit.scores.losses import losses_from_logits, losses_from_probabilities
from dpviz.checks import FloatArray, naming_foreign_errors
from dpviz.data.sources.file import path_and_sha256
from dpviz.data.sources.options import ReadError, ReadOptions, mismatch, quoted, quoted_names
from dpviz.data.sources.real_arrays import vector_of
from dpviz.data.tables import table as table_rules
from dpviz.data.tables.frame import (
    FrameTable,
    NamedValues,
    frame_as_table,
    is_frame,
    rows_as_table,
)
from dpviz.data.tables.one_class import (
    MembersOrNonmembers,
    common_kind,
    numbers_of_column,
    origins_text,
    scores_of_sides,
)
from dpviz.data.tables.table import LOSS_COLUMNS, MEMBER_COLUMNS, RATE_COLUMNS, SCORE_COLUMNS, Cells
from dpviz.data.tables.table_source import TableSource, read_table


@dataclass(frozen=True, kw_only=True)
class NamingConvention:
    """A tool's names for the arrays of an attack, and the function that reads these arrays."""

    name: str  # the tool, or the kind of the values
    keys: str  # the names, as a line in the list of readable sources
    accepts: Callable[[NamedValues], bool]  # whether a source has these names; loads no value
    read: Callable[[NamedValues, ReadOptions], Scores]  # raises ReadError if a value is malformed


@dataclass(frozen=True)
class NamePair:
    """A tool's names for two arrays, such as scores and memberships, and the kind of the scores."""

    tool: str
    first: str
    second: str
    kind: ScoreKind = "score"


def name_pairs_as_text(pairs: Iterable[NamePair]) -> str:
    """Describe pairs of names by tool, as "a and b, c and d (T1); e and f (T2)"."""
    tools: dict[str, list[str]] = {}
    for pair in pairs:
        tools.setdefault(pair.tool, []).append(f"{pair.first} and {pair.second}")
    return "; ".join(f"{', '.join(names)} ({tool})" for tool, names in tools.items())


# Arrays of equal length, scores and memberships, as the columns of a table.

LABELLED_SCORE_NAMES = (
    NamePair("ML Privacy Meter", "scores", "memberships"),
    NamePair("LeakPro", "signal_values", "true_labels"),
    NamePair("LeakPro", "signal_values", "true"),
    NamePair("LeakPro", "primitives.signal_values", "primitives.true_labels"),
    NamePair("ART", "attack_proba", "attack_true"),
    NamePair("Microsoft", "score", "challenge_bit"),
    NamePair("Microsoft", "score", "challenge_bits"),
    NamePair("Microsoft", "mi_signal", "challenge_bit"),
    NamePair("Microsoft", "mi_signal", "challenge_bits"),
    NamePair("SACRO-ML", "individual.member_prob", "individual.member"),
)
EQUAL_LENGTH = "arrays of equal length"


def _as_table(fields: NamedValues) -> FrameTable:
    """Return a table whose columns are the named arrays; all arrays must have equal lengths."""

    def columns(positions: Sequence[int]) -> Cells:
        import pandas as pd  # slow to import

        score, *others = (fields.names[position] for position in positions)
        cells = [pd.Series(_score_vector(fields, score), name=score)]
        for name in others:
            cells.append(pd.Series(fields.numbers_or_text(name), name=name))
            if len(cells[-1]) != len(cells[0]):
                expected = f"as many values as {quoted(score)} has, {len(cells[0])}"
                raise mismatch(fields.place_text(name), expected, len(cells[-1]))
        return cells

    return FrameTable(fields.where, fields.names, lambda at: [columns(at)], file=fields.file)


def _score_vector(fields: NamedValues, name: str) -> Any:
    array = fields.array(name)
    if array.ndim == 2 and array.shape[1] > 1:
        raise ReadError(
            f"{fields.place_text(name)}: expected one score per record, got shape {array.shape}; "
            "choose a column, such as [:, 1] for the probability of a member"
        )
    return vector_of(array, fields.place_text(name))


def _labelled_score_names_in(fields: NamedValues) -> NamePair | None:
    """Return the first of `LABELLED_SCORE_NAMES` whose two names are both in `fields`, or None."""
    # A third field with a known name of scores or memberships makes a pair of names ambiguous.
    names = {name.casefold() for name in fields.names}
    columns = (*SCORE_COLUMNS, *LOSS_COLUMNS, *MEMBER_COLUMNS)
    present = (known for known in LABELLED_SCORE_NAMES if fields.has_all(known.first, known.second))
    return next((k for k in present if (names - {k.first, k.second}).isdisjoint(columns)), None)


def _has_labelled_scores(fields: NamedValues) -> bool:
    names = {name.casefold() for name in fields.names}
    is_scored = names.intersection((*SCORE_COLUMNS, *LOSS_COLUMNS))
    has_both = bool(is_scored and names.intersection(MEMBER_COLUMNS))
    return has_both or _labelled_score_names_in(fields) is not None


def _read_labelled_scores(fields: NamedValues, options: ReadOptions) -> Scores:
    known = _labelled_score_names_in(fields)
    if known is None:
        return read_table(_as_table(fields), options, EQUAL_LENGTH)
    named = replace(
        options,
        score=options.score or known.first,
        member=options.member or known.second,
        kind=options.kind or (known.kind if options.score is None else None),
    )
    return read_table(_as_table(fields), named, known.tool)


LABELLED_SCORES = NamingConvention(
    name="scores and memberships of equal length",
    keys=name_pairs_as_text(LABELLED_SCORE_NAMES),
    accepts=_has_labelled_scores,
    read=_read_labelled_scores,
)
TABLE = NamingConvention(
    name=EQUAL_LENGTH,
    keys="a score and a membership, named as in a table",
    accepts=lambda fields: bool(fields.names),
    read=lambda fields, options: read_table(_as_table(fields), options, EQUAL_LENGTH),
)

# Rates without the scores behind them: rejected, with the reason.

SCORES_FILE_KEY = "arrays_file"  # SACRO-ML's report names the file that holds the scores so


def _name_after_last_dot(name: str) -> str:
    return name.rpartition(".")[2].casefold()


def _reject_rates_unless_columns_chosen(fields: NamedValues, options: ReadOptions) -> Scores:
    if options.score is not None and options.member is not None:
        return TABLE.read(fields, options)
    rates = dict.fromkeys(
        name.rpartition(".")[2]
        for name in fields.names
        if _name_after_last_dot(name) in RATE_COLUMNS
    )
    beside = [fields.load(n) for n in fields.names if _name_after_last_dot(n) == SCORES_FILE_KEY]
    hint = f"; scores may be in {', '.join(map(quoted, beside))}" if beside else ""
    raise table_rules.only_rates_error(fields.where, rates, hint)


RATES = NamingConvention(
    name="rates",
    keys="fpr, tpr, auc: rejected, scores are needed",
    accepts=lambda fields: any(_name_after_last_dot(name) in RATE_COLUMNS for name in fields.names),
    read=_reject_rates_unless_columns_chosen,
)

# Two arrays, one of members and one of non-members, under names that say so.

PAIR_NAMES = (
    NamePair("TF Privacy", "loss_train", "loss_test", "loss"),
    NamePair("TF Privacy", "entropy_train", "entropy_test", "loss"),
    NamePair("TF Privacy", "membership_scores_train", "membership_scores_test", "score"),
    NamePair("TF Privacy", "train_membership_probs", "test_membership_probs", "score"),
    NamePair("jax-privacy", "in_canary_scores", "out_canary_scores", "score"),
    NamePair("jax-privacy", "_in_canary_scores", "_out_canary_scores", "score"),
    NamePair("opake-auditing", "in_scores", "out_scores", "score"),
    # Tables; scores per user come before scores per record, as PrivacyGuard itself prefers.
    NamePair("PrivacyGuard", "df_train_user", "df_test_user", "score"),
    NamePair("PrivacyGuard", "df_train_merge", "df_test_merge", "score"),
    NamePair("PrivacyGuard", "train_scores", "test_scores", "score"),
    NamePair("PrivacyGuard", "_scores_train", "_scores_test", "score"),
    # In mimir's ROC curves non-members are the positives: a low number means member.
    NamePair("mimir", "predictions.member", "predictions.nonmember", "loss"),
    NamePair("mimir", "predictions.members", "predictions.nonmembers", "loss"),
    NamePair("mimir", "members", "nonmembers", "loss"),
    NamePair("losses of two classes", "member_losses", "nonmember_losses", "loss"),
    NamePair("losses of two classes", "member_loss", "nonmember_loss", "loss"),
    NamePair("losses of two classes", "loss_member", "loss_nonmember", "loss"),
    NamePair("losses of two classes", "train_losses", "test_losses", "loss"),
    NamePair("losses of two classes", "train_loss", "test_loss", "loss"),
    NamePair("losses of two classes", "train_loss", "validation_loss", "loss"),
    NamePair("losses of two classes", "train_losses", "validation_losses", "loss"),
    NamePair("losses of two classes", "train_loss", "val_loss", "loss"),
    NamePair("losses of two classes", "train.loss", "test.loss", "loss"),
    NamePair("scores of two classes", "member_scores", "nonmember_scores", "score"),
    # As in a pair of arrays without names.
    NamePair("losses of two classes", "member", "nonmember", "loss"),
    NamePair("losses of two classes", "train", "test", "loss"),
    NamePair("losses of two classes", "train", "validation", "loss"),
)


def _array_pair_names_in(fields: NamedValues) -> list[NamePair]:
    return [pair for pair in PAIR_NAMES if fields.has_all(pair.first, pair.second)]


def _read_array_pair(fields: NamedValues, options: ReadOptions) -> Scores:
    pair, *others = _array_pair_names_in(fields)
    names = pair.first, pair.second
    member, nonmember = (_members_or_nonmembers(fields, name, options) for name in names)
    kind = options.kind or common_kind(member, nonmember) or pair.kind
    understood = origins_text(kind, f"{fields.word} {quoted(pair.first)}", quoted(pair.second))
    understood += _unread_note(name for other in others for name in (other.first, other.second))
    known = {"source": fields.where, "loader": pair.tool, "understood": understood}
    return scores_of_sides(member, nonmember, options, kind=kind, file=fields.file, **known)


def _unread_note(names: Iterable[str]) -> str:
    return f"; not read: {left_out}" if (left_out := quoted_names(names)) else ""


def _members_or_nonmembers(
    fields: NamedValues, name: str, options: ReadOptions
) -> MembersOrNonmembers:
    """Return the numbers of the field `name`, which is an array or a table with one column."""
    value = fields.load(name)
    with naming_foreign_errors(fields.place_text(name), value):
        is_table = is_frame(value)
    if is_table:
        options.reject_column_options("a table of one class", ("member", "group"))
        table = frame_as_table(value, fields.place_text(name))
        return numbers_of_column(table, options.score, options.memory)
    options.reject_column_options(f"a source with {fields.word}s for members and non-members")
    return fields.members_or_nonmembers(name)


NAMED_PAIRS = NamingConvention(
    name="two arrays, one of members and one of non-members",
    keys=name_pairs_as_text(PAIR_NAMES),
    accepts=lambda fields: bool(_array_pair_names_in(fields)),
    read=_read_array_pair,
)


def read_any_table(table: TableSource, options: ReadOptions, loader: str) -> Scores:
    """Return the scores of a table with a row for each record, or with a column for each class."""
    names = {name.strip().casefold(): name.strip() for name in table.names}
    pair = next((p for p in PAIR_NAMES if p.first in names and p.second in names), None)
    chosen = (options.score, options.member, options.group) != (None, None, None)
    if pair is None or chosen or not names.keys().isdisjoint((*LOSS_COLUMNS, *SCORE_COLUMNS)):
        return read_table(table, options, loader)
    kind, columns = options.kind or pair.kind, (names[pair.first], names[pair.second])
    understood = origins_text(kind, f"column {quoted(columns[0])}", quoted(columns[1]))
    member, nonmember = (numbers_of_column(table, name, options.memory) for name in columns)
    known = {"source": table.where, "loader": loader, "understood": understood}
    return scores_of_sides(member, nonmember, options, kind=kind, file=table.file, **known)


# Predictions of a model and true classes of members and non-members, turned into losses.

MEMBER_NONMEMBER_SUFFIXES = (("train", "test"), ("member", "nonmember"), ("members", "nonmembers"))
LOSSES_FROM: dict[str, Callable[..., FloatArray]]
LOSSES_FROM = {"logits": losses_from_logits, "probs": losses_from_probabilities}
OTHER_INPUTS = ("probs", "loss", "entropy", "sample_weight")


def _prediction_names_in(fields: NamedValues) -> list[tuple[str, str]]:
    """Return the pairs of names (predictions, labels) of members and of non-members, or []."""
    for what, suffixes in product(LOSSES_FROM, MEMBER_NONMEMBER_SUFFIXES):
        names = [(f"{what}_{suffix}", f"labels_{suffix}") for suffix in suffixes]
        if fields.has_all(*chain(*names)):
            return names
    return []


def _losses_from_predictions(fields: NamedValues, name: str, labels: str) -> MembersOrNonmembers:
    """Return losses from predictions `name` and true classes `labels`; NaN where one is missing."""
    place = fields.place_text(name)
    predicted = fields.matrix_or_vector(name).astype(np.float64)
    classes = fields.vector(labels).astype(np.float64)
    if len(predicted) != classes.size:
        expected = f"one row per label in {quoted(labels)}, {classes.size}"
        raise mismatch(place, expected, len(predicted))
    # Rows without a missing prediction or class become losses.
    complete = ~(np.isnan(predicted.reshape(classes.size, -1)).any(axis=1) | np.isnan(classes))
    losses = np.full(classes.size, np.nan)
    rows = np.flatnonzero(complete)
    losses_of = LOSSES_FROM[name.partition("_")[0]]
    try:
        losses[rows] = losses_of(predicted[rows], classes[rows]) if rows.size else np.nan
    except ValueError as error:
        raise ReadError(f"{place}: {error}") from None
    return MembersOrNonmembers.of(losses, place)


def _read_predictions(fields: NamedValues, options: ReadOptions) -> Scores:
    options.reject_column_options(f"a source with {fields.word}s for members and non-members")
    names = _prediction_names_in(fields)
    if options.kind == "score":
        rule = "predictions become losses, so that kind is 'loss'"
        raise ReadError(f"{fields.where}: {rule}, got kind='score'")
    if fields.has_all("multilabel_data") and fields.load("multilabel_data") is True:
        got = "multilabel_data=True; give the loss of each record instead"
        raise mismatch(fields.where, "one class per record", got)
    inputs = [name for name in fields.names if name.rpartition("_")[0] in OTHER_INPUTS]
    unread = _unread_note(name for name in inputs if name not in chain(*names))
    of_members, of_nonmembers = (f"{quoted(name)} and {quoted(labels)}" for name, labels in names)
    understood = (
        f"losses -logit(p) of the true class, of members from {of_members}, of non-members "
        f"from {of_nonmembers}{unread}"
    )
    member, nonmember = (_losses_from_predictions(fields, *side) for side in names)
    known = {"source": fields.where, "loader": PREDICTIONS.name, "understood": understood}
    return scores_of_sides(member, nonmember, options, kind="loss", file=fields.file, **known)


PREDICTIONS = NamingConvention(
    name="predictions and true classes (TF Privacy)",
    keys=(
        "logits_train or probs_train, labels_train, logits_test or probs_test, labels_test; also "
        "_member and _nonmember"
    ),
    accepts=lambda fields: bool(_prediction_names_in(fields)),
    read=_read_predictions,
)

# memaudit's reports: a list of canaries, each with its inclusion and several scores.

PER_CANARY = "per_canary"
OWN_ESTIMATES = {
    "membership.auc": "AUC {!r}",
    "membership.tpr_at_1pct_fpr": "TPR {!r} at FPR 0.01",
}
HEADLINE_SCORE = "headline_score"  # the score of the attack that memaudit states beforehand


def _read_memaudit(fields: NamedValues, options: ReadOptions) -> Scores:
    rows = fields.load(PER_CANARY)
    if not isinstance(rows, list) or not all(
        isinstance(row, dict) and isinstance(row.get("scores"), dict) for row in rows
    ):
        got = type(rows).__name__ if not isinstance(rows, list) else "other entries"
        raise mismatch(fields.place_text(PER_CANARY), 'one object per canary, with "scores"', got)
    flat = [{**row["scores"], **row} for row in rows]
    chosen = replace(
        options,
        score=options.score or HEADLINE_SCORE,
        member=options.member or "included",
        kind=options.kind or ("score" if options.score is None else None),
    )
    table = rows_as_table(flat, fields.where, fields.file)
    times = sorted({row.get("repetitions") or 1 for row in flat if row.get("included")})
    scores = read_table(table, chosen, MEMAUDIT.name)
    if scores.provenance is not None:
        understood = scores.provenance.understood + _note_of_own_estimates(fields)
        scores = scores.replaced(provenance=replace(scores.provenance, understood=understood))
    if times in ([], [1]):
        return scores
    copies = f"canaries were inserted {' or '.join(map(str, times))} times, not once each"
    return scores.replaced(remarks=(copies,))


def _note_of_own_estimates(fields: NamedValues) -> str:
    """Return the estimates that memaudit's report states for the headline score, as a note."""
    stated = {name: fields.load(name) for name in OWN_ESTIMATES if name in fields.names}
    said = [
        OWN_ESTIMATES[name].format(value)
        for name, value in stated.items()
        if type(value) in (int, float)  # null where memaudit states none
    ]
    return f"; memaudit's own estimates for its headline score: {', '.join(said)}" if said else ""


MEMAUDIT = NamingConvention(
    name="memaudit",
    keys="per_canary, a list of objects with scores and included (memaudit's report)",
    accepts=lambda fields: fields.has_all(PER_CANARY, "report_hash"),
    read=_read_memaudit,
)

# Four counts of guesses: one threshold, kept exactly as scores 0 and 1.

COUNT_NAMES = ("FN", "TP", "TN", "FP")
LARGEST_COUNT = 2**53  # all whole numbers up to this one are exact in float64


def _names_of_guess_counts(fields: NamedValues) -> dict[str, str]:
    by_capitals = {name.upper(): name for name in fields.names}
    return {name: by_capitals[name] for name in COUNT_NAMES if name in by_capitals}


def _checked_count(fields: NamedValues, name: str) -> int:
    array, place = fields.array(name), fields.place_text(name)
    if array.size != 1:
        raise mismatch(place, "a single count, for one threshold", f"{array.size} counts")
    number = array.reshape(-1)[0]
    if not (np.isfinite(number) and 0 <= number <= LARGEST_COUNT and number == np.floor(number)):
        raise mismatch(place, "a whole number of at least 0", f"{number.item()!r}")
    return int(number)


def _read_guess_counts(fields: NamedValues, options: ReadOptions) -> BinnedScores:
    options.reject_column_options("a source of counts")
    if options.kind == "loss":
        raise ReadError(f"{fields.where}: kind must be 'score' for counts of guesses, got 'loss'")
    fn, tp, tn, fp = (_checked_count(fields, n) for n in _names_of_guess_counts(fields).values())
    if fn + tp == 0 or tn + fp == 0:
        got = f"{fn + tp} members (TP + FN) and {tn + fp} non-members (FP + TN)"
        raise mismatch(fields.where, "members and non-members", got)
    guesses = np.array([0.0, 1.0])
    member, nonmember = np.array([fn, tp]), np.array([tn, fp])
    some = member + nonmember > 0
    understood = (
        f"guesses at one threshold as scores 0 and 1: {tp} true and {fp} false positives, "
        f"{tn} true and {fn} false negatives"
    )
    known: dict[str, Any] = {"source": fields.where, "loader": COUNTS.name}
    known |= {"understood": understood, **path_and_sha256(fields.file)}
    means = {"member_means": guesses[some], "nonmember_means": guesses[some]}
    return BinnedScores(
        thresholds=guesses[some],
        member_counts=member[some],
        nonmember_counts=nonmember[some],
        kind="score",
        provenance=Provenance(n_rows=fn + tp + tn + fp, **known),
        **means,
    )


COUNTS = NamingConvention(
    name="counts of guesses",
    keys="counts FN, FP, TN and TP of guesses (Microsoft, LeakPro)",
    accepts=lambda fields: len(_names_of_guess_counts(fields)) == len(COUNT_NAMES),
    read=_read_guess_counts,
)

# The registry: a new convention is defined above and listed below.

# In the order in which they are tried: logits are more exact than losses.
CONVENTIONS = [MEMAUDIT, PREDICTIONS, NAMED_PAIRS, LABELLED_SCORES, COUNTS]
# Tried after all others: rates are rejected, and any arrays may be the columns of a table.
LAST_CONVENTIONS = (RATES, TABLE)


def conventions() -> list[NamingConvention]:
    """Return the conventions of all tools; the first that accepts a source reads the source."""
    return [*CONVENTIONS, *LAST_CONVENTIONS]


def read_named_values(fields: NamedValues, options: ReadOptions) -> Scores:
    """Read named values as scores, by the first convention that accepts the names."""
    for convention in conventions():
        if convention.accepts(fields):
            try:
                return convention.read(fields, options)
            except RecursionError:
                raise ReadError(f"{fields.where}: the values are nested too deeply") from None
    raise mismatch(fields.where, f"{fields.word}s with values", "none")
