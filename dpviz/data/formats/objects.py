"""Objects of attack libraries, known by their attributes: the libraries are never imported."""

from dpviz.audit.binned_scores import Scores
from dpviz.data.conventions import read_fields
from dpviz.data.formats.fields import Fields
from dpviz.data.formats.format import Format, ReadError, ReadOptions, plain

SIDES = ("train", "test")
INPUT_DATA = tuple(
    f"{what}_{side}"
    for what in ("logits", "probs", "labels", "loss", "entropy", "sample_weight")
    for side in SIDES
)
"""Of TF Privacy's AttackInputData, which has all of them; what is not set is None."""
RESULTS = (
    ("_in_canary_scores", "_out_canary_scores"),
    ("membership_scores_train", "membership_scores_test"),
    ("train_membership_probs", "test_membership_probs"),
    ("train_scores", "test_scores"),
    ("df_train_user", "df_test_user"),
)
"""Of jax-privacy's CanaryScoreAuditor, TF Privacy's results, PrivacyGuard's output and input."""


def _attributes(source: object) -> tuple[str, ...]:
    """Those of the library whose object it is; none for any other object."""
    if isinstance(source, type):
        return ()
    for names in (INPUT_DATA, *RESULTS):
        if all(hasattr(source, name) for name in names):
            return (*names, "multilabel_data")
    return ()


def _accepts(source: object) -> bool:
    return bool(_attributes(source))


def _read(source: object, options: ReadOptions) -> Scores:
    where = type(source).__name__ if options.name is None else plain(options.name)
    names = tuple(name for name in _attributes(source) if getattr(source, name, None) is not None)
    fields = Fields(
        where=where, names=names, load=lambda name: getattr(source, name), word="attribute"
    )
    if not set(names) - {"multilabel_data"}:
        raise ReadError(f"{where}: expected attributes such as loss_train, got None for all")
    return read_fields(fields, options)


OBJECTS = Format(
    name="TF Privacy's AttackInputData, jax-privacy's CanaryScoreAuditor or PrivacyGuard's input",
    accepts=_accepts,
    read=_read,
)
