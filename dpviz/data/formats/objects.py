"""Objects of attack libraries, recognised by attributes; the libraries are never imported."""

from dpviz.audit.scores.base import Scores
from dpviz.data.conventions.registry import read_fields
from dpviz.data.formats.format import Format
from dpviz.data.sources.options import ReadError, ReadOptions
from dpviz.data.tables.fields import Fields

SIDES = ("train", "test")
# Attributes of TF Privacy's AttackInputData, which has all of them; one that is not set is None.
INPUT_DATA = tuple(
    f"{what}_{side}"
    for what in ("logits", "probs", "labels", "loss", "entropy", "sample_weight")
    for side in SIDES
)
# Of jax-privacy's CanaryScoreAuditor, TF Privacy's results, PrivacyGuard's output and input.
RESULTS = (
    ("_in_canary_scores", "_out_canary_scores"),
    ("membership_scores_train", "membership_scores_test"),
    ("train_membership_probs", "test_membership_probs"),
    ("train_scores", "test_scores"),
    ("_scores_train", "_scores_test"),  # PrivacyGuard's MIAResults
    ("df_train_user", "df_test_user"),
    ("signal_values", "true", "tp", "fp", "tn", "fn"),  # LeakPro's MIAResult
    ("eps", "auc", "accuracy"),  # PrivacyGuard's AnalysisNodeOutput: rates only
)


def _attributes(source: object) -> tuple[str, ...]:
    """Names of the attributes of a known library's object; none for any other object."""
    if isinstance(source, type):
        return ()
    for names in (INPUT_DATA, *RESULTS):
        if all(hasattr(source, name) for name in names):
            return (*names, "multilabel_data")
    return ()


def _read(source: object, options: ReadOptions) -> Scores:
    where = options.called(type(source).__name__)
    names = tuple(name for name in _attributes(source) if getattr(source, name, None) is not None)
    fields = Fields(
        where=where, names=names, load=lambda name: getattr(source, name), word="attribute"
    )
    if not set(names) - {"multilabel_data"}:
        raise ReadError(f"{where}: expected attributes such as loss_train, got None for all")
    return read_fields(fields, options)


OBJECTS = Format(
    name=(
        "TF Privacy's AttackInputData, jax-privacy's CanaryScoreAuditor, PrivacyGuard's input or "
        "LeakPro's MIAResult"
    ),
    recognise=lambda source: bool(_attributes(source)),
    reader=_read,
)
