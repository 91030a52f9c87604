"""`check_inputs`: signs that attack scores measure something other than membership."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.audit.blind.features import columns_of_both, floats_or_text, numeric_matrix
from dpviz.audit.inputs import CHECKS, InputChecks, ScoresAndRecords
from dpviz.audit.scores.base import Scores
from dpviz.checks import FloatArray
from dpviz.data.read import read_scores

SKIPPED_WITHOUT = {
    "covariates": "near copies and drift are not checked",
    "ids": "only equal covariates show that a record is in both sets",
    "order": "the order of the arrays is checked",
}


def check_inputs(
    scores: Any,
    *,
    covariates: Any = None,
    ids: Any = None,
    order: Any = None,
    rng: checks.Rng = 0,
    **reading: Any,
) -> InputChecks:
    """Return signs that attack scores measure something other than membership.

    A finding is a hint for a person to judge, not a bound. Data without findings may still be bad.

    Parameters
    ----------
    scores : AttackScores, BinnedScores, or anything that `read_scores` takes
    covariates : pair of array or DataFrame, optional
        Properties of each member and each non-member, in the order of the scores: to find equal and
        near rows, and to train a classifier that tells the two sets apart without an attack.
        Columns of text are categories.
    ids : pair of array, optional, identifiers of records, such as hashes of their text
    order : pair of array of float, optional
        When each record was made or scored; left out: the order of the arrays.
    rng : int or Generator, for the random halves on which the classifier is trained and tested
    **reading : options of `read_scores`

    Raises
    ------
    ValueError, if an array does not have one entry per score, or a value is missing or not finite

    References
    ----------
    Lopez-Paz and Oquab (2017), "Revisiting classifier two-sample tests", ICLR; Das, Zhang and
    Tramer (2024), "Blind baselines beat membership inference attacks", arXiv:2406.16201.

    Examples
    --------
    >>> import dpviz
    >>> found = dpviz.check_inputs(([0.1, 0.2], [0.3, 0.9]), ids=(["a", "b"], ["b", "c"]))
    >>> [finding.question for finding in found.notable]
    ['duplicates', 'attack']
    """
    read = scores if isinstance(scores, Scores) else read_scores(scores, **reading)
    sizes = (read.n_members, read.n_nonmembers)
    numbers = row_codes = None
    if covariates is not None:
        pair = _checked_pair("covariates", covariates, sizes)
        table = columns_of_both("covariates", *pair)
        numbers = _split_by_membership(numeric_matrix(table), sizes)
        # Equal rows have the same code.
        codes = [np.unique(column, return_inverse=True)[1] for column in table.values()]
        _, by_row = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
        row_codes = _split_by_membership(by_row.ravel(), sizes)
    inputs = ScoresAndRecords(
        scores=read,
        covariates=numbers,
        row_codes=row_codes,
        ids=None if ids is None else _id_codes(ids, sizes),
        order=None if order is None else _order_as_floats(order, sizes),
        seed=checks.seed(rng),
    )
    given = {"covariates": covariates, "ids": ids, "order": order}
    missing = [name for name, value in given.items() if value is None]
    return InputChecks(
        findings=tuple(finding for check in CHECKS.values() for finding in check(inputs)),
        skipped=tuple(f"without {name}, {SKIPPED_WITHOUT[name]}" for name in missing),
    )


def _checked_pair(name: str, pair: Any, sizes: tuple[int, int]) -> tuple[Any, Any]:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        raise checks.fail(name, "a pair (members, non-members)", type(pair).__name__)
    for of, entries, size in zip(("members", "non-members"), pair, sizes, strict=True):
        n = 0 if np.ndim(entries) == 0 else len(entries)
        if n != size:
            raise checks.fail(f"{name} of {of}", f"{size} values, one for each score", n)
    return pair[0], pair[1]


def _id_codes(ids: Any, sizes: tuple[int, int]) -> tuple[NDArray[Any], NDArray[Any]]:
    member, nonmember = (np.asarray(each) for each in _checked_pair("ids", ids, sizes))
    for side in (member, nonmember):
        if side.ndim != 1:
            raise checks.fail("ids", "one-dimensional, of shape (n,)", side.shape)
    # As text, so that entries of mixed types can be compared.
    _, codes = np.unique(np.concatenate([member, nonmember]).astype(str), return_inverse=True)
    return _split_by_membership(codes, sizes)


def _order_as_floats(order: Any, sizes: tuple[int, int]) -> tuple[FloatArray, FloatArray]:
    pair = _checked_pair("order", order, sizes)
    columns = (floats_or_text("order", np.asarray(each)) for each in pair)
    member, nonmember = (checks.vector("order", column, finite=True) for column in columns)
    return member, nonmember


def _split_by_membership(
    entries: NDArray[Any], sizes: tuple[int, int]
) -> tuple[NDArray[Any], NDArray[Any]]:
    return entries[: sizes[0]], entries[sizes[0] :]
