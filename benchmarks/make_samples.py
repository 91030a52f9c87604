"""Write the packaged samples: ``python -m benchmarks.make_samples``.

Needs scikit-learn, which contains the digits data set; nothing is downloaded.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dpviz.audit import losses_from_logits
from dpviz.checks import FloatArray
from dpviz.data.samples import FOLDER

if TYPE_CHECKING:
    from sklearn.neural_network import MLPClassifier

SEED = 20261121  # the samples are the same whenever they are made
N_MEMBERS = 300  # few, so that the network remembers them
EPOCHS = 600  # many, for the same reason


def digits_samples() -> dict[str, tuple[FloatArray, FloatArray]]:
    """Losses of two networks trained on the same 300 digits: without and with regularisation."""
    from sklearn.datasets import load_digits
    from sklearn.neural_network import MLPClassifier
    from sklearn.preprocessing import StandardScaler

    images, labels = load_digits(return_X_y=True)
    shuffled = np.random.default_rng(SEED).permutation(len(labels))
    member, nonmember = shuffled[:N_MEMBERS], shuffled[N_MEMBERS:]
    scaler = StandardScaler().fit(images[member])
    pixels = scaler.transform(images)
    samples = {}
    for name, penalty in (("overfitted", 0.0), ("regularised", 10.0)):
        network = MLPClassifier(
            (256,),
            alpha=penalty,
            max_iter=EPOCHS,
            n_iter_no_change=EPOCHS,
            tol=0.0,
            random_state=SEED,
        )
        network.fit(pixels[member], labels[member])
        losses = losses_from_logits(_logits(network, pixels), labels)
        samples[name] = losses[member], losses[nonmember]
        for group, rows in (("members", member), ("non-members", nonmember)):
            accuracy = network.score(pixels[rows], labels[rows])
            print(f"{name}: accuracy on {rows.size} {group} {accuracy:.3f}")
    return samples


def simulated_samples() -> dict[str, tuple[FloatArray, FloatArray]]:
    """Losses drawn from known distributions."""
    rng = np.random.default_rng(SEED)
    gamma = rng.gamma(2, 5, 5000), rng.gamma(4, 5, 5000)
    null = rng.normal(0, 1, 2000), rng.normal(0, 1, 2000)
    return {"gamma": gamma, "null": null}


def write(name: str, member: FloatArray, nonmember: FloatArray, folder: Path = FOLDER) -> None:
    """Write one sample as CSV, its numbers with nine digits."""
    rows = [f"{loss:.9g},1" for loss in member] + [f"{loss:.9g},0" for loss in nonmember]
    (folder / f"{name}.csv").write_text("\n".join(["loss,member", *rows]) + "\n", newline="\n")


def _logits(network: "MLPClassifier", pixels: FloatArray) -> FloatArray:
    """Output of the network before the softmax, which scikit-learn does not return."""
    *hidden, last = zip(network.coefs_, network.intercepts_, strict=True)
    layer = pixels
    for weights, bias in hidden:
        layer = np.maximum(layer @ weights + bias, 0)
    return np.asarray(layer @ last[0] + last[1])


if __name__ == "__main__":
    for name, (member, nonmember) in (digits_samples() | simulated_samples()).items():
        write(name, member, nonmember)
