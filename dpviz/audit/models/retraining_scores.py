"""Attack scores from a table of models and canaries."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import SCORE_KINDS, ScoreKind
from dpviz.audit.scores.groups import checked_labels
from dpviz.audit.scores.sequence_losses import zero_or_one


def retraining_scores(
    scores: ArrayLike,
    included: ArrayLike,
    *,
    kind: ScoreKind,
    canaries: Sequence[str] | None = None,
) -> AttackScores:
    """Attack scores with one group per canary, from a table of models and canaries.

    Parameters
    ----------
    scores : array, shape (models, canaries) or (models,)
        The score of each canary against each model; one dimension for a single canary.
    included : array of bool or 0/1, of the same shape
        Whether the model was trained with the canary.
    kind : {"loss", "score"}
        Original scale: a low loss or a high score indicates that the canary was included.
    canaries : sequence of str, optional
        Distinct names, one per column. By default "canary 1" and so on.

    Returns
    -------
    AttackScores
        "Members" are the scores of models trained with the canary, in the order of the canaries and
        of the models within each.

    Raises
    ------
    ValueError
        If shapes differ, a score is not finite, `included` is not made of truth values, or a canary
        is in all models or in none.

    Examples
    --------
    >>> from dpviz import audit
    >>> table = [[2.0, 0.5], [0.1, 0.4], [1.5, 3.0]]
    >>> scores = audit.retraining_scores(table, [[1, 0], [0, 0], [1, 1]], kind="score")
    >>> scores.groups, scores.member.tolist()
    (('canary 1', 'canary 2'), [2.0, 1.5, 3.0])
    """
    checks.choice("kind", kind, SCORE_KINDS)
    table = checks.numeric("scores", scores)
    if table.ndim not in (1, 2) or table.size == 0:
        raise checks.fail("scores", "of shape (models, canaries) or (models,)", table.shape)
    was_in = zero_or_one("included", included) == 1
    if was_in.shape != table.shape:
        raise checks.fail("included", f"of the shape of scores, {table.shape}", was_in.shape)
    # By canary, then by model.
    table, was_in = np.atleast_2d(table.T), np.atleast_2d(was_in.T)
    n_canaries, n_models = table.shape
    if canaries is None:
        canaries = [f"canary {i + 1}" for i in range(n_canaries)]
    names = checked_labels("canaries", canaries)
    if names.size != n_canaries or np.unique(names).size != n_canaries:
        raise checks.fail("canaries", f"{n_canaries} different names", names.tolist())
    for name, n_in in zip(names.tolist(), was_in.sum(axis=1).tolist(), strict=True):
        if n_in in (0, n_models):
            raise ValueError(
                f"included must have models with and without {name!r}, got {n_in} with it and "
                f"{n_models - n_in} without"
            )
    of_canary = np.repeat(names, n_models).reshape(table.shape)
    values = checks.finite_vector("scores", table.ravel()).reshape(table.shape)
    build = AttackScores.from_losses if kind == "loss" else AttackScores
    return build(
        member=values[was_in],
        nonmember=values[~was_in],
        member_groups=of_canary[was_in],
        nonmember_groups=of_canary[~was_in],
    )
