"""Two tables with a score column, one of members and one of non-members."""

from dpviz.audit.scores.base import Scores
from dpviz.data.conventions.convention import Convention
from dpviz.data.sources.options import ReadError, ReadOptions, quoted, unit_of
from dpviz.data.tables.fields import Fields
from dpviz.data.tables.frame import frame_of, is_frame
from dpviz.data.tables.one_column import one_column
from dpviz.data.tables.side import Side, scores_of_sides

# Scores per user before those per record, as the tool itself analyses them.
NAMES = (("df_train_user", "df_test_user"), ("df_train_merge", "df_test_merge"))


def _found(fields: Fields) -> tuple[str, str] | None:
    return next((names for names in NAMES if fields.has(*names)), None)


def _side(fields: Fields, name: str, options: ReadOptions) -> Side:
    frame = fields.load(name)
    if not is_frame(frame):
        raise ReadError(
            f"{fields.place(name)}: expected a data frame, got a {type(frame).__name__}"
        )
    table = frame_of(frame, fields.place(name))
    return one_column(table, options.score or "score", options.memory)


def _read(fields: Fields, options: ReadOptions) -> Scores:
    names = _found(fields)
    if names is None:
        raise RuntimeError("frames must be present where they are read")
    for role in ("member", "group"):
        if getattr(options, role) is not None:
            raise ReadError(
                f"{fields.where}: one table is of members, the other of non-members: {role} names "
                f"no column here, got {role}={quoted(getattr(options, role))}"
            )
    column = quoted(options.score or "score")
    kind = options.kind or "score"
    return scores_of_sides(
        _side(fields, names[0], options),
        _side(fields, names[1], options),
        options,
        kind=kind,
        source=fields.where,
        loader=TWO_FRAMES.name,
        understood=(
            f"{unit_of(kind)} from column {column}, of members in {quoted(names[0])}, "
            f"of non-members in {quoted(names[1])}"
        ),
    )


TWO_FRAMES = Convention(
    name="PrivacyGuard",
    keys="; ".join(" and ".join(names) for names in NAMES) + ": data frames with a column score",
    accepts=lambda fields: _found(fields) is not None,
    read=_read,
)
