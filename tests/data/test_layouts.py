"""What attack tools write, and what is read from it. All numbers are invented.

Where each layout was seen (tool, version, file) stands above its test.
"""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpviz.audit import AttackScores, BinnedScores
from dpviz.audit.epsilon_star import rounding_gap
from dpviz.data import ReadError, read_scores
from dpviz.data.sources.options import ColumnError

SCORES = [0.95, 0.40, 0.80, 0.10, 0.55, 0.20]
BITS = [1, 1, 1, 0, 0, 0]


def check(
    scores: AttackScores | BinnedScores,
    member: Any,
    nonmember: Any,
    *,
    kind: str,
    loader: str,
    source: str,
) -> str:
    """Values in the unit they came in; gives what was understood."""
    assert isinstance(scores, AttackScores)
    sign = -1.0 if kind == "loss" else 1.0
    assert scores.kind == kind
    np.testing.assert_array_equal(sign * scores.member, member)
    np.testing.assert_array_equal(sign * scores.nonmember, nonmember)
    read = scores.provenance
    assert read is not None
    assert (read.source, read.loader) == (source, loader)
    assert read.n_rows == scores.n_members + scores.n_nonmembers + read.n_dropped
    return read.understood


def check_labelled(scores: AttackScores | BinnedScores, *, loader: str, source: str) -> str:
    return check(scores, SCORES[:3], SCORES[3:], kind="score", loader=loader, source=source)


# TF Privacy: tensorflow-empirical-privacy 0.1.0,
# privacy_tests/membership_inference_attack/data_structures.py, class AttackInputData: a dataclass
# whose attributes are None unless set; train = member; low loss or entropy = member.
class AttackInputData(SimpleNamespace):
    def __init__(self, **given: Any) -> None:
        names = ("logits", "probs", "labels", "sample_weight", "loss", "entropy")
        fields = {f"{name}_{side}": None for name in names for side in ("train", "test")}
        super().__init__(**(fields | {"multilabel_data": False} | given))


TF_LOSS = {"loss_train": np.array([0.1, 0.2, 0.9]), "loss_test": np.array([0.7, 1.5])}


def test_tf_privacy_losses() -> None:
    for source, called in (
        (AttackInputData(**TF_LOSS), "AttackInputData"),
        (TF_LOSS, "the mapping"),
    ):
        understood = check(
            read_scores(source),
            *TF_LOSS.values(),
            kind="loss",
            loader="TF Privacy",
            source=called,
        )
        assert understood.startswith("losses of members from ")
        assert understood.endswith(' "loss_train", of non-members from "loss_test"')


def test_tf_privacy_entropies_after_losses() -> None:
    entropy = {"entropy_train": [0.2, 0.3], "entropy_test": [0.9]}
    scores = read_scores(entropy)
    check(scores, [0.2, 0.3], [0.9], kind="loss", loader="TF Privacy", source="the mapping")
    both = check(
        read_scores(entropy | TF_LOSS),
        *TF_LOSS.values(),
        kind="loss",
        loader="TF Privacy",
        source="the mapping",
    )
    assert both.endswith('; not read: "entropy_train", "entropy_test"')


def test_tf_privacy_logits() -> None:
    given: dict[str, Any] = {
        "logits_train": np.array([[4.0, 0.0, -1.0], [0.0, 3.0, 0.0]]),
        "labels_train": np.array([0, 1]),
        "logits_test": np.array([[1.0, 1.5, 0.0], [0.0, 0.0, 0.0]]),
        "labels_test": np.array([0, 2]),
    }
    # -logit(p_y) = log of the sum of exp over the other classes, minus the logit of the true one.
    member = [np.log(1 + np.exp(-1)) - 4, np.log(2) - 3]
    nonmember = [np.log(np.exp(1.5) + 1) - 1, np.log(2)]
    scores = read_scores(AttackInputData(**given, **TF_LOSS))
    assert isinstance(scores, AttackScores)
    np.testing.assert_allclose(-scores.member, member, rtol=1e-14)
    np.testing.assert_allclose(-scores.nonmember, nonmember, rtol=1e-14)
    assert scores.provenance is not None
    assert scores.provenance.understood == (
        'losses -logit(p) of the true class, of members from "logits_train" and "labels_train", of '
        'non-members from "logits_test" and "labels_test"; not read: "loss_train", "loss_test"'
    )
    probs = {
        name.replace("logits", "probs"): np.exp(value) / np.exp(value).sum(axis=1, keepdims=True)
        if name.startswith("logits")
        else value
        for name, value in given.items()
    }
    renamed = {
        name.replace("train", "member").replace("test", "nonmember"): value
        for name, value in probs.items()
    }
    # Logits are preferred: these probabilities are refused on their own.
    wrong = {f"probs_{side}": np.full((2, 3), 0.5) for side in ("train", "test")}
    for source in (probs, renamed, given | wrong):
        same = read_scores(source)
        assert isinstance(same, AttackScores)
        np.testing.assert_allclose(same.member, scores.member, rtol=1e-12)
        np.testing.assert_allclose(same.nonmember, scores.nonmember, rtol=1e-12)


def test_tf_privacy_binary_predictions() -> None:
    given = {"logits_train": [2.0, -1.0], "labels_train": [1.0, 0.0]}
    given |= {"logits_test": [[0.5], [-0.5]], "labels_test": [0, 1]}
    scores = read_scores(given)
    check(
        scores,
        [-2.0, -1.0],
        [0.5, 0.5],
        kind="loss",
        loader="predictions and true classes (TF Privacy)",
        source="the mapping",
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels_train": [0]}, 'key "logits_train": expected one row per label in "labels_train"'),
        ({"labels_train": [0, 2]}, r'key "logits_train": labels must be in \[0, 1\], got 2'),
        ({"logits_test": [[[1.0]]]}, 'key "logits_test": expected a row per record and a column'),
        ({"multilabel_data": True}, "expected one class per record, got multilabel_data=True"),
        (
            {"logits_test": [[1.0, np.nan]]},
            r'key "logits_test", position 0: expected a number, got nan \(1 missing; missing=',
        ),
    ],
)
def test_tf_privacy_refused(change: dict[str, Any], message: str) -> None:
    given = {"logits_train": [[2.0, 1.0], [0.0, 1.0]], "labels_train": [1, 0]}
    given |= {"logits_test": [[0.5, 1.0]], "labels_test": [0]}
    with pytest.raises(ReadError, match=f"^the mapping[,:] {message}"):
        read_scores(given | change)


def test_certain_predictions_are_the_ends_of_the_ranking() -> None:
    given = {"probs_train": [[1.0, 0.0], [0.5, 0.5]], "labels_train": [0, 0]}
    scores = read_scores(given | {"probs_test": [[0.0, 1.0]], "labels_test": [0]})
    assert isinstance(scores, AttackScores)
    assert scores.member.tolist() == [np.inf, 0.0]
    assert scores.nonmember.tolist() == [-np.inf]


# TF Privacy, the same file: SingleAttackResult, SingleMembershipProbabilityResult; high = member.
@pytest.mark.parametrize(
    "names",
    [
        ("membership_scores_train", "membership_scores_test"),
        ("train_membership_probs", "test_membership_probs"),
    ],
)
def test_tf_privacy_results(names: tuple[str, str]) -> None:
    result = SimpleNamespace(**dict(zip(names, ([0.9, 0.7], [0.2]), strict=True)))
    scores = read_scores(result, name="a result")
    check(scores, [0.9, 0.7], [0.2], kind="score", loader="TF Privacy", source="a result")


# jax-privacy 2.0.0, jax_privacy/auditing.py:537-552: two arrays, kept with a leading underscore.
@pytest.mark.parametrize("prefix", ["", "_"])
def test_jax_privacy(prefix: str) -> None:
    values = {f"{prefix}in_canary_scores": np.array([3.1, 2.0, 0.4])}
    values[f"{prefix}out_canary_scores"] = np.array([0.5, -0.2, 1.1, 0.0])
    source = type("CanaryScoreAuditor", (SimpleNamespace,), {})(**values) if prefix else values
    called = "CanaryScoreAuditor" if prefix else "the mapping"
    check(read_scores(source), *values.values(), kind="score", loader="jax-privacy", source=called)


# opake-auditing, one_run/_estimate.py at 7d46fc23: a frozen dataclass with arrays of scores.
def test_opake_auditing() -> None:
    inside, outside = np.array([2.0, 0.4, 3.1]), np.array([0.5, -0.2])
    estimate = SimpleNamespace(
        n_in=3, n_out=2, in_scores=inside, out_scores=outside, canary_indices=np.arange(5)
    )
    scores = read_scores(estimate, name="an estimate")
    check(scores, inside, outside, kind="score", loader="opake-auditing", source="an estimate")


def memaudit_report(**changes: Any) -> dict[str, Any]:
    rows = [
        {
            "id": f"c-{i}",
            "role": "control" if i > 3 else "candidate",
            "included": bool(bit),
            "repetitions": [1, 4, 16, 1, 1, 1][i],
            "family": "high_ppl",
            "scores": {"masked_nll": -score, "headline_score": score, "n_scored_tokens": 31},
            "ref_source": "disable_adapter",
        }
        for i, (score, bit) in enumerate(zip(SCORES, BITS, strict=True))
    ]
    membership = {"tpr_at_1pct_fpr": 0.1, "auc": 0.8, "roc": [{"fpr": 0.0, "tpr": 0.1}]}
    report = {"schema_version": "1.2.0", "membership": membership, "per_canary": rows}
    return report | {"reference": None, "report_hash": "4babfb"} | changes


# memaudit 0.1.0, src/memaudit/report.py at 5cbda401: per_canary; higher = more member-like.
def test_memaudit(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text(json.dumps(memaudit_report()))
    scores = read_scores(path)
    said = check_labelled(scores, loader="memaudit", source="report.json")
    assert ('"headline_score"' in said, '"included"' in said) == (True, True)
    stated = "memaudit's own estimates for its headline score: AUC 0.8, TPR 0.1 at FPR 0.01"
    assert said.endswith(f"; {stated}")
    assert stated in str(scores)
    # An invalid headline is null, and an older report may have no such part.
    for membership, note in (({"tpr_at_1pct_fpr": None, "auc": 0.7}, "AUC 0.7"), ({}, ""), (3, "")):
        provenance = read_scores(memaudit_report(membership=membership)).provenance
        assert provenance is not None
        assert provenance.understood.partition("headline score: ")[2] == note
    assert scores.remarks == ("canaries were inserted 1 or 4 or 16 times, not once each",)
    assert scores.remarks[0] in str(scores)
    losses = read_scores(path, score="masked_nll", kind="loss")
    np.testing.assert_array_equal(losses.members.values, sorted(SCORES[:3]))
    assert read_scores(path, group="repetitions").groups == ("1", "4", "16")
    # A score that memaudit could not compute is null.
    rows = memaudit_report()["per_canary"]
    rows[1]["scores"]["headline_score"] = None
    with pytest.raises(ReadError, match="headline_score"):
        read_scores(memaudit_report(per_canary=rows))
    with pytest.warns(UserWarning, match="dropped 1 of 6 rows"):
        dropped = read_scores(memaudit_report(per_canary=rows), missing="drop")
    assert (dropped.n_members, dropped.n_nonmembers) == (2, 3)
    for wrong in ("none", [1, 2], [{"included": True}]):
        with pytest.raises(ReadError, match='expected one object per canary, with "scores"'):
            read_scores(memaudit_report(per_canary=wrong))
    once = [{**row, "repetitions": 1} for row in memaudit_report()["per_canary"]]
    assert read_scores(memaudit_report(per_canary=once)).remarks == ()


# codedp's models on Hugging Face, audit_results.json: counts of the best of 20 numbers of guesses.
def test_codedp_has_no_scores(tmp_path: Path) -> None:
    details = {"epsilon": 0.05, "num_guesses": 100, "correct_guesses": 60, "direction": "higher"}
    loss = {"auc": 0.525808, "empirical_epsilon_details": {"0.05": details}}
    path = tmp_path / "audit_results.json"
    path.write_text(json.dumps({"delta": 1e-5, "num_canaries": 500, "loss": loss}))
    with pytest.raises(ReadError, match=r"got rates only \("):
        read_scores(path)


# ML Privacy Meter, audit.py at commits 039335c5 and c5b2391a: attack_result_{i}.npz.
def test_privacy_meter(tmp_path: Path) -> None:
    path = tmp_path / "attack_result_0.npz"
    curve = {"fpr": np.array([0.0, 1.0]), "tpr": np.array([0.0, 1.0]), "auc": np.float64(0.9)}
    np.savez(path, **curve, scores=np.array(SCORES), memberships=np.array(BITS, bool))
    scores = read_scores(path)
    check_labelled(scores, loader="ML Privacy Meter", source="attack_result_0.npz")
    assert scores.provenance is not None
    assert scores.provenance.path == str(path)
    assert read_scores(path, kind="loss").kind == "loss"
    with pytest.raises(ReadError, match='column "x" may hold losses or scores'):
        read_scores({"scores": SCORES, "memberships": BITS, "x": SCORES}, score="x")
    assert scores.provenance.sha256 is not None
    np.savez(path, **curve)
    with pytest.raises(ReadError, match=r'got rates only \("fpr", "tpr", "auc"\)'):
        read_scores(path)


# LiRA (Carlini et al. 2021), tensorflow/privacy research/mi_lira_2021: train.py and plot.py at
# 3d499e69, score.py at 3d499e69, inference.py at 3eb51698.
def write_lira(root: Path, models: int = 1) -> list[Path]:
    rng = np.random.default_rng(0)
    labels = np.array([0, 1, 2, 0, 1, 2])
    root.mkdir()
    np.save(root / "y_train.npy", labels)
    folders = []
    for model in range(models):
        folder = root / f"experiment-{model}_{models}"
        logits = rng.normal(size=(6, 1, 2, 3)).astype(np.float32)
        p = np.exp(logits.astype(float))
        p /= p.sum(axis=3, keepdims=True)
        true = p[np.arange(6), 0, :, labels]
        for name in ("logits", "scores"):
            (folder / name).mkdir(parents=True)
        np.save(folder / "keep.npy", np.array([1, 0, 1, 0, 1, 0], bool) ^ bool(model % 2))
        np.save(folder / "logits" / "0000000100.npy", logits)
        np.save(folder / "scores" / "0000000050.npy", np.zeros((6, 2)))
        np.save(folder / "scores" / "0000000100.npy", np.log(true) - np.log(1 - true))
        folders.append(folder)
    return folders


def test_lira_folder_of_one_model(tmp_path: Path) -> None:
    (folder,) = write_lira(tmp_path / "cifar10")
    last = np.load(folder / "scores" / "0000000100.npy").mean(axis=1)
    understood = check(
        read_scores(folder),
        last[::2],
        last[1::2],
        kind="score",
        loader="LiRA",
        source="experiment-0_1",
    )
    assert understood == (
        "scores from scores/0000000100.npy, mean over 2 augmentations, membership from keep.npy"
    )
    around = read_scores(tmp_path / "cifar10")
    assert isinstance(around, AttackScores)
    np.testing.assert_array_equal(around.member, last[::2])
    # Marks beyond the scores are cut, as the tool's plots do; too few are refused.
    keep = np.load(folder / "keep.npy")
    np.save(folder / "keep.npy", np.append(keep, True))
    assert read_scores(folder).n_members == 3
    np.save(folder / "keep.npy", keep[:5])
    with pytest.raises(ReadError, match=r"experiment-0_1/keep\.npy: expected 6 marks, as .* got 5"):
        read_scores(folder)


def test_lira_logits(tmp_path: Path) -> None:
    (folder,) = write_lira(tmp_path / "cifar10")
    expected = read_scores(folder)
    for file in (folder / "scores").iterdir():
        file.unlink()
    (folder / "scores").rmdir()
    scores = read_scores(folder)
    assert isinstance(scores, AttackScores)
    assert isinstance(expected, AttackScores)
    np.testing.assert_allclose(scores.member, expected.member, rtol=1e-6)
    assert scores.provenance is not None
    assert scores.provenance.understood.startswith("log-odds of the true class from logits/")
    (folder.parent / "y_train.npy").unlink()
    with pytest.raises(ReadError, match=r"logits need the true classes; put y_train\.npy"):
        read_scores(folder)


def test_lira_folder_of_several_models(tmp_path: Path) -> None:
    first, _ = write_lira(tmp_path / "cifar10", models=2)
    with pytest.raises(ReadError, match=r"^cifar10: expected one model, got 2 .* cannot be pooled"):
        read_scores(tmp_path / "cifar10")
    np.save(first / "keep.npy", np.ones(6, bool))
    with pytest.raises(ReadError, match="got no left-out records"):
        read_scores(first)


# Microsoft: privacy-estimates 0.1.0.post1, utils.py:19-90, AttackResults as JSON.
COUNTS = {"FN": 1, "FP": 3, "TN": 5, "TP": 7}


def test_microsoft_counts(tmp_path: Path) -> None:
    path = tmp_path / "counts.json"
    path.write_text(json.dumps(COUNTS))
    for source in (path, COUNTS):
        scores = read_scores(source)
        assert isinstance(scores, BinnedScores)
        assert scores.kind == "score"
        assert scores.thresholds.tolist() == [0, 1]
        assert scores.member_counts.tolist() == [1, 7]
        assert scores.nonmember_counts.tolist() == [5, 3]
        assert scores.provenance is not None
        assert (scores.provenance.loader, scores.provenance.n_rows) == ("counts of guesses", 16)
    always = read_scores(COUNTS | {"FN": 0, "TN": 0})
    assert isinstance(always, BinnedScores)
    assert always.thresholds.tolist() == [1]


def test_counts_of_guesses_are_not_rounded() -> None:
    scores = read_scores(COUNTS)
    assert isinstance(scores, BinnedScores)
    assert rounding_gap(scores, delta=0) == 0
    assert str(scores).split("\n")[1:] == [
        "high = member (scores): 8 members, 8 non-members; counted at 2 thresholds, none rounded",
        "no row dropped; 14 of 16 scores repeat an earlier score",
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"FN": 1.5}, ', key "FN": expected a whole number of at least 0, got 1.5'),
        ({"FP": -1}, ', key "FP": expected a whole number of at least 0, got -1'),
        ({"TP": "7"}, ', key "TP": expected numbers, got text, the first "7"'),
        ({"TP": True}, ', key "TP": expected numbers, got truth values, the first True'),
        ({"TN": float("nan")}, ', key "TN": expected a whole number of at least 0, got nan'),
        ({"TN": [1, 2]}, ', key "TN": expected a single count, for one threshold, got 2 counts'),
        ({"FN": 0, "TP": 0}, ": expected members and non-members, got 0 members"),
    ],
)
def test_microsoft_counts_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ReadError) as caught:
        read_scores(COUNTS | change)
    assert str(caught.value).startswith(f"the mapping{message}")


# Microsoft, privacy_estimates/experiments/attacks at 083b76d5 and components at 17fd90b8.
@pytest.mark.parametrize("score", ["score", "mi_signal"])
@pytest.mark.parametrize("bit", ["challenge_bit", "challenge_bits"])
def test_microsoft_tables(score: str, bit: str) -> None:
    scores = read_scores({score: SCORES, bit: BITS, "label": [3, 1, 4, 1, 5, 9]}, name="ms")
    check_labelled(scores, loader="Microsoft", source="ms")


# PrivacyGuard, analysis/base_analysis_input.py and mia/score_analysis_node.py at 3b4b8469; of
# privacyguard-platform 0.0.2 BaseAnalysisInput, AggregateAnalysisInput and ScoreAnalysisNode's
# output were read as the real objects. mia/mia_results.py keeps tensors.
def test_privacyguard() -> None:
    train = pd.DataFrame({"user_id": [1, 1, 2, 3], "score": [1.2, 0.4, 0.9, -0.1]})
    test = pd.DataFrame({"user_id": [7, 8, 8], "score": [-0.3, 0.2, -1.0]})
    values = {"df_train_user": train, "df_test_user": test}
    for source in (values, SimpleNamespace(**values)):
        check(
            read_scores(source, name="pg"),
            train["score"],
            test["score"],
            kind="score",
            loader="PrivacyGuard",
            source="pg",
        )
    check(
        read_scores((train, test)),
        train["score"],
        test["score"],
        kind="score",
        loader="a pair",
        source="two sources",
    )
    with pytest.raises(ReadError, match=r'^the mapping, key "df_test_user": no score column r'):
        read_scores(values | {"df_test_user": test.rename(columns={"score": "score_orig"})})
    analysed = SimpleNamespace(eps=1.2, eps_lb=0.4, accuracy=0.6, auc=0.61, auc_ci=[0.5, 0.7])
    with pytest.raises(ReadError, match=r'^SimpleNamespace: expected scores, .* only \("auc"\)'):
        read_scores(analysed)
    for names in (("train_scores", "test_scores"), ("_scores_train", "_scores_test")):
        output = SimpleNamespace(**dict(zip(names, ([1.2, 0.4], [-0.3]), strict=True)))
        check(
            read_scores(output),
            [1.2, 0.4],
            [-0.3],
            kind="score",
            loader="PrivacyGuard",
            source="SimpleNamespace",
        )


# SACRO-ML 2.0.1, attacks/report.py:190-247 (side file), attack_report_formatter.py (report.json).
def test_sacro(tmp_path: Path) -> None:
    side = tmp_path / "report_arrays_0123abcd_instance_0.npz"
    np.savez_compressed(
        side,
        **{
            "fpr": [0.0, 1.0],
            "tpr": [0.0, 1.0],
            "individual.member_prob": SCORES,
            "individual.member": np.array(BITS, float),
            "individual.struct_cd": np.array([None, "x"], dtype=object),  # never looked at
        },
    )
    check_labelled(read_scores(side), loader="SACRO-ML", source=side.name)
    metrics = {"TPR": 0.67, "FPR": 0.33, "AUC": 0.89, "arrays_file": side.name}
    run = {"attack_experiment_logger": {"attack_instance_logger": {"instance_0": metrics}}}
    report = tmp_path / "report.json"
    report.write_text(json.dumps({"WorstCase attack_0123": run}))
    with pytest.raises(ReadError, match=r'rates only \("TPR", "FPR", "AUC"\).*"report_arrays_0123'):
        read_scores(report)


# SACRO-ML 2.0.1, attacks/target.py:418-505: probabilities without a header and without classes.
def test_sacro_probabilities(tmp_path: Path) -> None:
    pair = tmp_path / "proba_train.csv", tmp_path / "proba_test.csv"
    for path in pair:
        np.savetxt(path, [[0.9, 0.1], [0.2, 0.8]], delimiter=",")
    with pytest.raises(ReadError, match=r"^proba_train\.csv: expected one column .* true classes"):
        read_scores(pair)
    for path, column in zip(pair, ([0.9, 0.2], [0.4]), strict=True):
        np.savetxt(path, column)
    check(
        read_scores(pair, kind="score"),
        [0.9, 0.2],
        [0.4],
        kind="score",
        loader="a pair",
        source="proba_train.csv and proba_test.csv",
    )


# LeakPro, leakpro/reporting/mia_result.py at 00782132 (schemas.py: MIAResultSchema) and its older
# generations at 03f70e9d (JSON) and ccd8e684 (a pickle under a .json name).
LEAKPRO: dict[str, Any] = {
    "result_name": "lira",
    "id": "lira-online",
    "tpr": [0.5, 1.0],
    "fpr": [0.0, 1.0],
    "fixed_fpr": {"TPR@1%FPR": 0.5},
    "signal_values": SCORES,
    "true_labels": BITS,
    "config": {"online": True},
    "tp": [1, 3],
    "fp": [0, 3],
    "tn": [3, 0],
    "fn": [2, 0],
}


def test_leakpro(tmp_path: Path) -> None:
    path = tmp_path / "lira-online.json"
    path.write_text(json.dumps(LEAKPRO))
    check_labelled(read_scores(path), loader="LeakPro", source=path.name)
    one = {"tp": [2], "fp": [1], "tn": [2], "fn": [1]}
    path.write_text(json.dumps(LEAKPRO | {"signal_values": None} | one))
    scores = read_scores(path)
    assert isinstance(scores, BinnedScores)
    assert scores.member_counts.tolist() == [1, 2]
    path.write_text(json.dumps(LEAKPRO | {"signal_values": [0.0]}))
    with pytest.raises(ReadError, match=r'"true_labels": expected as many values .* 1, got 6'):
        read_scores(path)
    result = {name: LEAKPRO[name] for name in ("signal_values", "tp", "fp", "tn", "fn")}
    check_labelled(
        read_scores(SimpleNamespace(true=np.array(BITS), **result)),
        loader="LeakPro",
        source="SimpleNamespace",
    )
    path.write_bytes(b"\x80\x04\x95")
    with pytest.raises(ReadError, match=r"line 1, column 1: .* 0x80 \(a pickle, which is never"):
        read_scores(path)


# mimir, run.py at 014d0ea9 (get_mia_scores) and older copies of attack_utils.py; get_roc_metrics of
# DetectGPT, which it uses, labels members 0 and non-members 1.
@pytest.mark.parametrize("names", [("member", "nonmember"), ("members", "nonmembers")])
def test_mimir(tmp_path: Path, names: tuple[str, str]) -> None:
    member, nonmember = [2.1, 2.4, float("nan")], [2.9, 2.6, 3.3]
    path = tmp_path / "loss_results.json"
    result = {
        "name": "loss_threshold",
        "predictions": dict(zip(names, (member, nonmember), strict=True)),
        "metrics": {"fpr": [0.0, 1.0], "thresholds": [float("inf"), -2.1]},
        "loss": 0.1,
    }
    path.write_text(json.dumps(result))
    said = rf'"predictions\.{names[0]}", position 2: expected a number, got nan \(1 missing; m'
    with pytest.raises(ReadError, match=said):
        read_scores(path)
    with pytest.warns(UserWarning, match=r"dropped 1 of 3 rows with a missing value \(row 2\)"):
        scores = read_scores(path, missing="drop")
    check(scores, member[:2], nonmember, kind="loss", loader="mimir", source=path.name)
    assert scores.provenance is not None
    assert scores.provenance.n_dropped == 1
    path.write_text(json.dumps({"member": ["a text"], "nonmember": ["another"]}))
    with pytest.raises(ReadError, match='expected numbers, got text, the first "a text"'):
        read_scores(path)


# ART 1.20.1, art/metrics/privacy/worst_case_mia_score.py:33-133; black_box.py:573 gives (n, 1),
# label_only_boundary_distance.py:136 gives (n, 2).
def test_art() -> None:
    proba, true = np.array(SCORES), np.array(BITS)
    for given in (proba, proba[:, None]):
        scores = read_scores({"attack_proba": given, "attack_true": true})
        check_labelled(scores, loader="ART", source="the mapping")
    with pytest.raises(ReadError, match=r"one score per record, got shape \(6, 2\); .*\[:, 1\]"):
        read_scores({"attack_proba": np.c_[1 - proba, proba], "attack_true": true})
    with pytest.raises(ReadError, match=r"labels for the first array; pass read_scores\(\{"):
        read_scores((proba, true))


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (("member_losses", "nonmember_losses"), "loss"),
        (("train_losses", "test_losses"), "loss"),
        (("loss_member", "loss_nonmember"), "loss"),
        (("member_scores", "nonmember_scores"), "score"),
        (("member", "nonmember"), "loss"),
    ],
)
def test_plain_names(names: tuple[str, str], kind: str) -> None:
    values = dict(zip(names, ([0.1, 0.2], [0.7]), strict=True))
    loader = "losses of two classes" if kind == "loss" else "scores of two classes"
    check(read_scores(values), [0.1, 0.2], [0.7], kind=kind, loader=loader, source="the mapping")
    other = "score" if kind == "loss" else "loss"
    assert read_scores(values, kind=other).kind == other
    with pytest.raises(ReadError, match="score must be left out for"):
        read_scores(values, score="x")


def test_rates_alone_are_refused_but_named_columns_are_read() -> None:
    rates = {"fpr": [0.0, 1.0], "tpr": [0.0, 1.0]}
    with pytest.raises(ReadError, match=r'^the mapping: expected scores, got rates only \("fpr"'):
        read_scores(rates)
    mine = rates | {"mine": SCORES, "who": BITS}
    scores = read_scores(mine, score="mine", member="who", kind="score")
    check_labelled(scores, loader="arrays of equal length", source="the mapping")


def test_names_beside_a_tools_own_are_not_passed_over() -> None:
    losses, scores, member = [0.1, 0.2, 0.9], [2.0, 1.5, 0.3], [1, 1, 0]
    meter = {"scores": scores, "memberships": member}
    read_scores(meter)
    said = 'several columns could be the score column: "scores", "loss"; choose one'
    with pytest.raises(ColumnError, match=said):
        read_scores({**meter, "loss": losses})
    chosen = read_scores({**meter, "loss": losses}, score="loss")
    assert isinstance(chosen, AttackScores)
    assert (chosen.kind, chosen.member.tolist()) == ("loss", [-0.1, -0.2])
    leaky = {"signal_values": scores, "true_labels": member}
    with pytest.raises(ColumnError, match="several columns could be the score column"):
        read_scores({**leaky, "scores": scores, "memberships": [0, 0, 1]})
