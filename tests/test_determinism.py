"""The same records and seed give the same bytes: in any process, type of numbers and order.

    python -m tests.test_determinism

prints a digest of what is said about some records.
"""

import hashlib
import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dpviz
from dpviz.analysis import Result
from dpviz.audit import lower_bound
from dpviz.cli.command import main
from dpviz.theory import GaussianMechanism

# Of all but those that need a threshold, and bets, which are placed in the order of arrival.
METHODS = (
    "rank_exact",
    "one_run",
    "one_run_curve",
)
RNG = np.random.default_rng(7)
# Halves of float32 numbers, many of them repeated: every type and decimal text holds them.
MEMBER, NONMEMBER = (
    RNG.normal(mean, 1, size).astype(np.float16).astype(np.float32)
    for mean, size in ((0.0, 300), (1.0, 400))
)
Records = tuple[np.ndarray, np.ndarray]


def said(records: Records) -> str:
    """All sentences, bounds by many methods, and pictures, as text."""
    scores = dpviz.AttackScores.from_losses(member=records[0], nonmember=records[1])
    result = dpviz.analyze(scores, claim=GaussianMechanism(noise_multiplier=1.0), delta=1e-5)
    bounds = [lower_bound(scores, delta=1e-5, method=method).low for method in METHODS]
    return json.dumps([dict(result.sentences), bounds, _drawn(result)], default=str)


def _drawn(result: Result) -> list[str]:
    return [result.svg(name) for name in ("region", "tradeoff")]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def expected() -> str:
    """What is said about the records as they are; not worked out where tests are only collected."""
    return said((MEMBER, NONMEMBER))


@pytest.mark.parametrize(
    "records",
    [
        (MEMBER.astype(np.float64), NONMEMBER.astype(np.float64)),
        (MEMBER.astype(np.float16), NONMEMBER.astype(np.longdouble)),
        (RNG.permutation(MEMBER), RNG.permutation(NONMEMBER)),
        (np.sort(MEMBER)[::-1], np.sort(NONMEMBER)),
    ],
    ids=["float64", "other types", "shuffled", "sorted"],
)
def test_neither_types_nor_order_change_a_byte(records: Records) -> None:
    assert said(records) == expected()


@pytest.mark.slow
def test_another_process_says_the_same() -> None:
    for threads, seed in (("1", "0"), ("4", "12345")):
        variables = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
        ran = subprocess.run(
            [sys.executable, "-m", "tests.test_determinism"],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[1],
            env={**os.environ, **dict.fromkeys(variables, threads), "PYTHONHASHSEED": seed},
        )
        assert ran.stdout.strip() == digest(expected())


def test_rows_of_a_file_in_any_order(tmp_path: Path) -> None:
    losses = np.concatenate([MEMBER, NONMEMBER])
    frame = pd.DataFrame({"loss": losses, "member": np.arange(losses.size) < MEMBER.size})
    documents = []
    for order in (np.arange(losses.size), RNG.permutation(losses.size)):
        path = tmp_path / "scores.parquet"
        frame.iloc[order].to_parquet(path)
        printed = io.StringIO()
        with redirect_stdout(printed):
            main(["audit", str(path), "--claim", "1,1e-5", "--json", "-"])
        document = json.loads(printed.getvalue())
        del document["created"]
        # Digests of the file and of the records in their order name what was read.
        scores = document["scores"]
        text = json.dumps(document)
        for name in ("sha256", "fingerprint"):
            text = text.replace(scores[name]["value"], name)
        documents.append(text)
    assert documents[0] == documents[1]


if __name__ == "__main__":
    print(digest(expected()))  # noqa: T201
