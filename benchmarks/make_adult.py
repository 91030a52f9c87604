"""Write networks trained on UCI Adult: ``python -m benchmarks.make_adult FOLDER``.

The folder has `adult.data` and `adult.test` of the UCI repository; README.md of dpviz/data/samples
describes what is written: losses, and no record of the data set. Needs scikit-learn and pyarrow.
"""

import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.metrics import roc_auc_score
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from dpviz.checks import FloatArray
from dpviz.data.samples import FOLDER

SEED = 20261123  # the models are the same whenever they are made
REPEATS = 2  # trainings with other seeds
EPOCHS = (1, 5, 10, 20)  # after which losses are kept: those of the paper
NUMBERS = [0, 2, 4, 10, 11, 12]  # columns that are numbers; the others are categories
STEP = 1 / 32  # losses are rounded to multiples of this, so that the file is small


class Census(NamedTuple):
    """The fourteen columns as text, and whether the income is above 50 000 dollars."""

    columns: np.ndarray
    is_high: np.ndarray


def read(path: Path) -> Census:
    """The records of one of the two files; its last column is the income."""
    rows = [line.rstrip(".").split(", ") for line in path.read_text("ascii").splitlines()]
    table = np.array([row for row in rows if len(row) == 15])
    return Census(columns=table[:, :14], is_high=table[:, 14] == ">50K")


def inputs(members: Census, others: Census) -> tuple[FloatArray, FloatArray]:
    """Inputs of the network for both, scaled by what the members show alone."""
    encoder = OneHotEncoder(sparse_output=False, handle_unknown="ignore")
    categories = [i for i in range(14) if i not in NUMBERS]
    encoder.fit(members.columns[:, categories])
    scaler = StandardScaler().fit(members.columns[:, NUMBERS].astype(float))
    first, second = (
        np.hstack(
            [
                scaler.transform(each.columns[:, NUMBERS].astype(float)),
                encoder.transform(each.columns[:, categories]),
            ]
        )
        for each in (members, others)
    )
    return first, second


def table(members: Census, others: Census) -> pa.Table:
    """Train; one row per model and record: members first, each class in the order of its file."""
    trained, fresh = inputs(members, others)
    everyone = np.vstack([trained, fresh])
    sign = np.where(np.concatenate([members.is_high, others.is_high]), 1.0, -1.0)
    member = np.arange(len(everyone)) < len(trained)
    models = []
    for repeat in range(1, REPEATS + 1):
        network = MLPClassifier(
            (128,),
            activation="tanh",
            solver="sgd",
            alpha=0.0,
            batch_size=64,
            learning_rate_init=0.01,
            nesterovs_momentum=False,
            random_state=SEED + repeat,
        )
        for epoch in range(1, EPOCHS[-1] + 1):
            network.partial_fit(trained, members.is_high, classes=[False, True])
            if epoch not in EPOCHS:
                continue
            z = logit(network, everyone)
            strategy = f"plain, {epoch} epoch{'s' if epoch > 1 else ''}"
            columns: dict[str, Any] = {
                "model": f"{strategy}, repeat {repeat}",
                "strategy": strategy,
                "repeat": np.int16(repeat),
                "epochs": np.int16(epoch),
                "utility": float(roc_auc_score(others.is_high, z[~member])),
                "member": member,
                "loss": (np.round(-sign * z / STEP) * STEP).astype(np.float32),
            }
            print("{model}: AUROC {utility:.4f}".format(**columns))
            models.append(
                pa.table({name: np.broadcast_to(x, z.size) for name, x in columns.items()})
            )
    return pa.concat_tables(models)


def logit(network: MLPClassifier, rows: FloatArray) -> FloatArray:
    """Output of the network before the logistic function, which scikit-learn does not return."""
    first, last = zip(network.coefs_, network.intercepts_, strict=True)
    return np.asarray((np.tanh(rows @ first[0] + first[1]) @ last[0] + last[1])[:, 0])


if __name__ == "__main__":
    source = Path(sys.argv[1])
    losses = table(read(source / "adult.data"), read(source / "adult.test"))
    pq.write_table(
        losses,
        FOLDER / "adult.parquet",
        compression="zstd",
        compression_level=19,
        use_dictionary=[name for name in losses.column_names if name != "loss"],
        column_encoding={"loss": "BYTE_STREAM_SPLIT"},
    )
