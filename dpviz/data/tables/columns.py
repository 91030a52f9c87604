"""Choice of the columns that hold scores, membership and labels of groups."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from dpviz.audit.scores.base import SCORE_KINDS, ScoreKind
from dpviz.data.sources.options import (
    ColumnError,
    ReadError,
    ReadOptions,
    listed,
    quoted,
    unit_of,
)

LOSS_COLUMNS = (
    *("loss", "losses", "nll", "xent", "cross_entropy"),
    *("ppl", "perplexity", "entropy"),
)
# "prob", "logit" and "confidence" are missing on purpose: in many files they are of one class.
SCORE_COLUMNS = ("score", "scores", "llr", "mi_signal", "signal_values", "attack_proba")
MEMBER_COLUMNS = (
    *("is_member", "member", "membership", "memberships", "in_train", "is_train", "train", "split"),
    *("challenge_bit", "challenge_bits", "keep", "in_out"),
)
# In most files the class of the record; the membership beside scores that only attacks have.
LABEL_COLUMNS = ("label", "labels", "y_true")
ATTACK_COLUMNS = ("llr", "mi_signal", "signal_values", "attack_proba")
# Numbers about many records, so that a table of them has no scores.
RATE_COLUMNS = ("fpr", "tpr", "roc_auc", "auc", "auroc", "advantage")


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Positions and names of the columns that are read, and the unit of the score.

    `group` is None, and its name empty, where no labels are requested.
    """

    score: int
    member: int
    score_name: str
    member_name: str
    kind: ScoreKind
    group: int | None = None
    group_name: str = ""

    @property
    def understood(self) -> str:
        """Which columns became scores, membership and groups."""
        parts = [
            f"{unit_of(self.kind)} from column {quoted(self.score_name)}",
            f"membership from column {quoted(self.member_name)}",
        ]
        if self.group is not None:
            parts.append(f"groups from column {quoted(self.group_name)}")
        return ", ".join(parts)

    @property
    def positions(self) -> list[int]:
        """Positions of the columns that are read, in the order of `Table.cells`."""
        return [self.score, self.member, *([] if self.group is None else [self.group])]


def choose_columns(names: Sequence[str], options: ReadOptions, where: str) -> Columns:
    """Choose columns by the options, otherwise by their known names.

    Blanks around a name do not count. Raises ReadError if a name occurs twice, no column or more
    than one serves a role, one serves two roles, or the unit of a named score column is unknown.
    """
    names = [name.strip() for name in names]
    repeated = sorted(name for name, n in Counter(names).items() if name and n > 1)
    if repeated:
        raise ReadError(f"{where}: column names must be unique, got {listed(repeated)} repeated")
    caller = options.caller
    known_scores = (*LOSS_COLUMNS, *SCORE_COLUMNS)
    found = {name.casefold() for name in names}
    rates = [name for name in names if name.casefold() in RATE_COLUMNS]
    if rates and options.score is None and not found.intersection(known_scores):
        raise only_rates(where, rates)
    score = choose_column("score", options.score, known_scores, names, where, caller)
    known_members: tuple[str, ...] = MEMBER_COLUMNS
    if names[score].casefold() in ATTACK_COLUMNS and not found.intersection(MEMBER_COLUMNS):
        known_members = LABEL_COLUMNS
    member = choose_column("member", options.member, known_members, names, where, caller)
    if score == member:
        raise ReadError(
            f"{where}: score and member must be two columns, got {quoted(names[score])} for both"
        )
    group = options.group
    place = None if group is None else choose_column("group", group, (), names, where, caller)
    if place in (score, member):
        role = "score" if place == score else "member"
        raise ReadError(
            f"{where}: {role} and group must be two columns, got {quoted(options.group)} for both"
        )
    kind = options.kind or kind_of(names[score])
    if kind is None:
        raise ColumnError(
            f"{where}: the unit of column {quoted(names[score])} is unknown; "
            'pass kind="loss" (low = member) or kind="score" (high = member)',
            role="kind",
            choices=SCORE_KINDS,
        )
    return Columns(
        score=score,
        member=member,
        score_name=names[score],
        member_name=names[member],
        kind=kind,
        group=place,
        group_name="" if place is None else names[place],
    )


def only_rates(where: str, rates: Iterable[str], hint: str = "") -> ReadError:
    """Return the error of a source with rates, but without the scores behind them."""
    return ReadError(
        f"{where}: expected scores, got rates only ({listed(rates)}): without the numbers "
        "of records behind them nothing can be bounded; dpviz needs the score and the membership "
        f"of each record{hint}"
    )


def choose_column(
    role: str,
    named: str | None,
    known: Collection[str],
    names: Sequence[str],
    where: str,
    caller: str = "read_scores",
) -> int:
    """Return the position of the column for a role: the named one, otherwise the known one.

    If there is none or more than one, the message names `caller`, which has a role's argument.
    """
    names = list(names)
    found = listed(names) or "none"
    if named is not None:
        if named.strip() not in names or not named.strip():
            raise ReadError(
                f"{where}: no column {quoted(named)} for {role}, columns found: {found}"
            )
        return names.index(named.strip())
    candidates = [name for name in names if name.casefold() in known]
    if len(candidates) == 1:
        return names.index(candidates[0])
    if candidates:
        raise ColumnError(
            f"{where}: more than one column may be the {role} column: {listed(candidates)}; "
            f"choose one: {caller}(..., {role}={quoted(candidates[0])})",
            role=role,
            choices=candidates,
        )
    also = ', kind="loss" or "score"' if role == "score" else ""
    raise ColumnError(
        f"{where}: no {role} column recognised, columns found: {found}; "
        f"name it: {caller}(..., {role}=<column name>{also})",
        role=role,
        choices=names,
    )


def kind_of(name: str) -> ScoreKind | None:
    """The unit of a column of scores, if its name is a known one."""
    if name.casefold() in LOSS_COLUMNS:
        return "loss"
    return "score" if name.casefold() in SCORE_COLUMNS else None
