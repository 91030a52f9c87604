"""Two arrays, one of members and one of non-members, under names that say so."""

from dataclasses import dataclass

from dpviz.audit.scores.base import ScoreKind, Scores
from dpviz.data.conventions.convention import Convention, names_by_tool
from dpviz.data.sources.options import ReadOptions, listed, quoted, unit_of
from dpviz.data.tables.fields import Fields
from dpviz.data.tables.side import scores_of_sides


@dataclass(frozen=True)
class NamedPair:
    """Names of a tool's two arrays, and their unit."""

    tool: str
    member: str
    nonmember: str
    kind: ScoreKind


PAIRS = (
    NamedPair("TF Privacy", "loss_train", "loss_test", "loss"),
    NamedPair("TF Privacy", "entropy_train", "entropy_test", "loss"),
    NamedPair("TF Privacy", "membership_scores_train", "membership_scores_test", "score"),
    NamedPair("TF Privacy", "train_membership_probs", "test_membership_probs", "score"),
    NamedPair("jax-privacy", "in_canary_scores", "out_canary_scores", "score"),
    NamedPair("jax-privacy", "_in_canary_scores", "_out_canary_scores", "score"),
    NamedPair("PrivacyGuard", "train_scores", "test_scores", "score"),
    NamedPair("PrivacyGuard", "_scores_train", "_scores_test", "score"),
    # In mimir's ROC curves non-members are the positives: a low number means member.
    NamedPair("mimir", "predictions.member", "predictions.nonmember", "loss"),
    NamedPair("mimir", "predictions.members", "predictions.nonmembers", "loss"),
    NamedPair("mimir", "members", "nonmembers", "loss"),
    NamedPair("losses of two classes", "member_losses", "nonmember_losses", "loss"),
    NamedPair("losses of two classes", "member_loss", "nonmember_loss", "loss"),
    NamedPair("losses of two classes", "loss_member", "loss_nonmember", "loss"),
    NamedPair("losses of two classes", "train_losses", "test_losses", "loss"),
    NamedPair("losses of two classes", "train_loss", "test_loss", "loss"),
    NamedPair("losses of two classes", "train_loss", "validation_loss", "loss"),
    NamedPair("losses of two classes", "train_losses", "validation_losses", "loss"),
    NamedPair("scores of two classes", "member_scores", "nonmember_scores", "score"),
    # As in a pair of arrays without names.
    NamedPair("losses of two classes", "member", "nonmember", "loss"),
)


def _found(fields: Fields) -> list[NamedPair]:
    return [pair for pair in PAIRS if fields.has(pair.member, pair.nonmember)]


def _read(fields: Fields, options: ReadOptions) -> Scores:
    options.reject_columns(f"a source with {fields.word}s for members and non-members")
    pair, *others = _found(fields)
    kind = options.kind or pair.kind
    left_out = listed(name for other in others for name in (other.member, other.nonmember))
    return scores_of_sides(
        fields.side(pair.member),
        fields.side(pair.nonmember),
        options,
        kind=kind,
        source=fields.where,
        loader=pair.tool,
        understood=(
            f"{unit_of(kind)} of members from {fields.word} {quoted(pair.member)}, of non-members "
            f"from {quoted(pair.nonmember)}" + (f"; not read: {left_out}" if left_out else "")
        ),
        file=fields.file,
    )


NAMED_PAIRS = Convention(
    name="two arrays, one of members and one of non-members",
    keys=names_by_tool((pair.tool, pair.member, pair.nonmember) for pair in PAIRS),
    accepts=lambda fields: bool(_found(fields)),
    read=_read,
)
