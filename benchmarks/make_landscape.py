"""Write the privacy-utility landscape: ``python -m benchmarks.make_landscape``.

Many small networks are trained on the same members, without noise for some epochs and by DP-SGD
with noise for a target epsilon; README.md of dpviz/data/samples describes the files. Needs the
extra "examples" (jax-privacy, scikit-learn, pyarrow); nothing is downloaded.
"""

import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import dp_accounting
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pyarrow as pa
import pyarrow.parquet as pq
from jax_privacy.batch_selection import PartitionType, pad_to_multiple_of
from jax_privacy.experimental.execution_plan import BandMFExecutionPlanConfig, DPExecutionPlan

from dpviz.audit import losses_from_logits
from dpviz.checks import FloatArray
from dpviz.data.samples import FOLDER

SEED = 20261122  # the models are the same whenever they are made
N_MEMBERS = 897  # half of the images
REPEATS = 5  # trainings of each strategy, with other seeds
HIDDEN = 128  # units of the hidden layer
LEARNING_RATE = 0.1
MOMENTUM = 0.9
PLAIN_BATCH = 64  # records a step, without noise
DELTA = 1e-5  # of the claims of DP-SGD
CLIP = 1.0  # norm that a record's gradient is cut to
SAMPLING = 0.25  # probability that a record is in a step's batch
STEPS_PER_EPOCH = 4  # 1 / SAMPLING
EXPECTED_BATCH = 224  # SAMPLING * N_MEMBERS, rounded

Parameters = dict[str, jax.Array]
State = tuple[Parameters, Any]


@dataclass(frozen=True, kw_only=True)
class Digits:
    """Images as rows of 64 numbers in [0, 1], labels, and the rows of members and non-members."""

    pixels: FloatArray
    labels: np.ndarray
    member: np.ndarray
    nonmember: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Strategy:
    """A training, with noise for a target epsilon or without, and the epochs to keep."""

    name: str
    checkpoints: tuple[int, ...]
    epsilon: float | None = None

    @property
    def epochs(self) -> int:
        """Length of the training, for which the noise is calibrated."""
        return self.checkpoints[-1]

    def claim(self, *, epoch: int) -> tuple[float, float]:
        """Epsilon by the accountant after some epochs, and delta; NaN without noise."""
        if self.epsilon is None:
            return float("nan"), float("nan")
        noise = noise_multiplier(self.epsilon, epochs=self.epochs)
        return epsilon_spent(noise, epochs=epoch), DELTA


STRATEGIES = (
    *(Strategy(name=f"plain, {n} epochs", checkpoints=(n,)) for n in (5, 20, 80, 320)),
    *(
        Strategy(name=f"DP-SGD, epsilon {epsilon:g}", checkpoints=(40,), epsilon=epsilon)
        for epsilon in (1.0, 3.0, 10.0, 100.0)
    ),
)
# Epochs after which the losses of a time line are kept.
CHECKPOINTS = (1, 2, 5, 10, 20, 50, 100, 200, 400)
TIME_LINES = (
    Strategy(name="time line, plain", checkpoints=CHECKPOINTS),
    Strategy(name="time line, DP-SGD", checkpoints=CHECKPOINTS, epsilon=10.0),
)


@functools.cache
def digits() -> Digits:
    """The digits with random members; pixels are scaled by a constant."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    shuffled = np.random.default_rng(SEED).permutation(len(labels))
    return Digits(
        pixels=(images / 16).astype(np.float32),
        labels=labels,
        member=np.sort(shuffled[:N_MEMBERS]),
        nonmember=np.sort(shuffled[N_MEMBERS:]),
    )


def logits(parameters: Parameters, pixels: jax.Array) -> jax.Array:
    """Output of the network, with one hidden layer, before the softmax."""
    hidden = jnp.maximum(pixels @ parameters["hidden"] + parameters["hidden bias"], 0)
    return hidden @ parameters["output"] + parameters["output bias"]


def cross_entropy(parameters: Parameters, pixels: jax.Array, labels: jax.Array) -> jax.Array:
    """Mean cross-entropy over the rows, which training minimises."""
    z = logits(parameters, pixels)
    return optax.softmax_cross_entropy_with_integer_labels(z, labels).mean()


def initial(seed: int) -> Parameters:
    """He's initial weights for the hidden layer, with half the variance for the output."""
    first, second = jax.random.split(jax.random.key(seed))
    return {
        "hidden": jax.random.normal(first, (64, HIDDEN)) * np.sqrt(2 / 64),
        "hidden bias": jnp.zeros(HIDDEN),
        "output": jax.random.normal(second, (HIDDEN, 10)) * np.sqrt(1 / HIDDEN),
        "output bias": jnp.zeros(10),
    }


def train_plain(seed: int, *, epochs: int) -> Iterator[Parameters]:
    """Train by stochastic gradient descent; yield the parameters after each epoch."""
    pixels, labels = _members()
    optimiser = optax.sgd(LEARNING_RATE, momentum=MOMENTUM)
    parameters, rng = initial(seed), np.random.default_rng(seed)
    state = optimiser.init(parameters)
    gradient = jax.grad(cross_entropy)

    def step(carry: State, rows: jax.Array) -> tuple[State, None]:
        parameters, state = carry
        mean = gradient(parameters, pixels[rows], labels[rows])
        change, state = optimiser.update(mean, state, parameters)
        return (optax.apply_updates(parameters, change), state), None

    epoch = jax.jit(lambda carry, batches: jax.lax.scan(step, carry, batches)[0])
    used = N_MEMBERS // PLAIN_BATCH * PLAIN_BATCH  # 896 of 897, others in each epoch
    for _ in range(epochs):
        batches = rng.permutation(N_MEMBERS)[:used].reshape(-1, PLAIN_BATCH)
        parameters, state = epoch((parameters, state), jnp.asarray(batches))
        yield parameters


def private_plan(*, epochs: int, seed: int = 0, **noise: float) -> DPExecutionPlan:
    """Standard DP-SGD of jax-privacy: Poisson sampling, clipping, Gaussian noise, add/remove.

    `noise` is `noise_multiplier`, or `epsilon` and `delta`, from which the library finds it.
    """
    return BandMFExecutionPlanConfig(
        **{"epsilon": None, "delta": None, "noise_multiplier": None, **noise},
        iterations=STEPS_PER_EPOCH * epochs,
        strategy=np.ones(1),
        l2_clip_norm=CLIP,
        normalize_by=EXPECTED_BATCH,
        sampling_prob=SAMPLING,
        partition_type=PartitionType.INDEPENDENT,
        accountant=_accountant(),
        noise_seed=seed,
    ).plan


@functools.cache
def noise_multiplier(epsilon: float, *, epochs: int) -> float:
    """The smallest noise multiplier that gives `epsilon` at `DELTA`, by the accountant."""
    plan = private_plan(epochs=epochs, epsilon=epsilon, delta=DELTA)
    return float(plan.dp_event.event.event.noise_multiplier)


@functools.cache
def epsilon_spent(noise: float, *, epochs: int) -> float:
    """Epsilon at `DELTA` after some epochs, by the accountant."""
    event = private_plan(epochs=epochs, noise_multiplier=noise).dp_event
    return float(_accountant().compose(event).get_epsilon(DELTA))


def train_private(seed: int, *, noise: float, epochs: int) -> Iterator[Parameters]:
    """Train by DP-SGD; yield the parameters after each epoch of `STEPS_PER_EPOCH` steps."""
    pixels, labels = _members()
    # Not `seed` itself, which is the key of the initial weights.
    plan = private_plan(epochs=epochs, noise_multiplier=noise, seed=seed + 50)
    gradient = plan.clipped_grad(cross_entropy, batch_argnums=(1, 2))
    descent = optax.sgd(LEARNING_RATE, momentum=MOMENTUM)
    optimiser = optax.chain(plan.noise_addition_transform, descent)
    parameters = initial(seed)
    state = optimiser.init(parameters)

    def step(parameters: Parameters, state: Any, rows: jax.Array) -> State:
        total = gradient(parameters, pixels[rows], labels[rows], is_padding_example=rows < 0)
        change, state = optimiser.update(total, state, parameters)
        return optax.apply_updates(parameters, change), state

    compiled = jax.jit(step)
    batches = plan.batch_selection_strategy.batch_iterator(N_MEMBERS, np.random.default_rng(seed))
    for done, rows in enumerate(batches, start=1):
        # Padding to few lengths saves compilations; the library sets the gradient of row -1 to 0.
        padded = jnp.asarray(pad_to_multiple_of(rows, 64))
        parameters, state = compiled(parameters, state, padded)
        if done % STEPS_PER_EPOCH == 0:
            yield parameters


def train(strategy: Strategy, *, seed: int) -> Iterator[Parameters]:
    """Train by a strategy; yield the parameters after each epoch."""
    if strategy.epsilon is None:
        return train_plain(seed, epochs=strategy.epochs)
    noise = noise_multiplier(strategy.epsilon, epochs=strategy.epochs)
    return train_private(seed, noise=noise, epochs=strategy.epochs)


def table(strategies: tuple[Strategy, ...], *, repeats: int, seed: int) -> pa.Table:
    """Train with every strategy, `repeats` times; no two runs share a seed."""
    models = []
    for number, strategy in enumerate(strategies):
        for repeat in range(1, repeats + 1):
            run = train(strategy, seed=seed + 100 * number + repeat)
            for epoch, parameters in enumerate(run, start=1):
                if epoch in strategy.checkpoints:
                    which = f"repeat {repeat}" if repeats > 1 else f"epoch {epoch}"
                    epsilon, delta = strategy.claim(epoch=epoch)
                    about = {
                        "model": f"{strategy.name}, {which}",
                        "strategy": strategy.name,
                        "repeat": np.int16(repeat),
                        "epochs": np.int16(epoch),
                        "epsilon": epsilon,
                        "delta": delta,
                    }
                    models.append(rows_of(about, parameters))
    return pa.concat_tables(models)


def rows_of(about: dict[str, Any], parameters: Parameters) -> pa.Table:
    """One row per record: members first, then non-members, each in the order of the data set."""
    data = digits()
    records = np.concatenate([data.member, data.nonmember])
    labels = data.labels[records]
    member = np.arange(records.size) < N_MEMBERS
    z = np.asarray(logits(parameters, jnp.asarray(data.pixels[records])), dtype=np.float64)
    columns = about | {
        "utility": float((z.argmax(axis=1) == labels)[~member].mean()),
        "member": member,
        "loss": losses_from_logits(z, labels).astype(np.float32),
    }
    print("{model}: epsilon {epsilon:.4f}, hold-out accuracy {utility:.3f}".format(**columns))
    return pa.table({name: np.broadcast_to(x, records.size) for name, x in columns.items()})


def origin() -> dict[str, str]:
    """Origin of the data, for the metadata of the schema."""
    noise = {
        strategy.name: noise_multiplier(strategy.epsilon, epochs=strategy.epochs)
        for strategy in (*STRATEGIES, *TIME_LINES)
        if strategy.epsilon is not None
    }
    packages = ("jax-privacy", "jax", "optax", "dp-accounting", "numpy", "scikit-learn", "pyarrow")
    return {
        "dataset": "scikit-learn digits, CC BY 4.0",
        "loss": "-logit(p_y): low = member-like",
        "utility": "accuracy on the non-members",
        "adjacency": "add_remove",
        "seed": str(SEED),
        "sampling_probability": str(SAMPLING),
        "steps_per_epoch": str(STEPS_PER_EPOCH),
        "noise_multiplier": json.dumps(noise),
        "made_with": ", ".join(f"{name} {version(name)}" for name in packages),
    }


def write(name: str, content: pa.Table, folder: Path = FOLDER) -> None:
    """Write one file without a time stamp, so that equal content is equal bytes."""
    pq.write_table(
        content.replace_schema_metadata(origin()),
        folder / f"{name}.parquet",
        compression="zstd",
        compression_level=19,
        use_dictionary=[column for column in content.column_names if column != "loss"],
        column_encoding={"loss": "BYTE_STREAM_SPLIT"},
    )


def _members() -> tuple[jax.Array, jax.Array]:
    data = digits()
    return jnp.asarray(data.pixels[data.member]), jnp.asarray(data.labels[data.member])


def _accountant() -> dp_accounting.pld.PLDAccountant:
    return dp_accounting.pld.PLDAccountant(dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE)


if __name__ == "__main__":
    write("landscape", table(STRATEGIES, repeats=REPEATS, seed=SEED))
    write("timeline", table(TIME_LINES, repeats=1, seed=SEED + 1000))
