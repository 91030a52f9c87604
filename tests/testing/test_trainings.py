"""Real trainings with canaries, where their libraries are installed: `.ci/prove trainings`.

The claim is that of the noise, proved by hand: each of T full-batch steps sums gradients of norm
at most 1 and adds normal noise of standard deviation sqrt(T) / MU in each coordinate, so T steps
are MU-GDP (Dong, Roth and Su 2022) for adding or removing a record. Forgotten noise makes the same
claim false.
"""

import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import dpviz
from dpviz import audit, theory
from dpviz.audit.evidence import CanaryCheckpoints, CanaryPlan
from dpviz.audit.evidence.claim import Outcome
from dpviz.checks import FloatArray
from dpviz.testing import ClaimWatch

LIBRARIES = ("torch", "jax", "sklearn", "keras", "lightning", "transformers")
if not all(map(find_spec, LIBRARIES)):
    reason = f"needs {', '.join(LIBRARIES)}: .ci/prove trainings"
    pytest.skip(reason, allow_module_level=True)
pytestmark = pytest.mark.filterwarnings("ignore")  # of the libraries
N, WIDTH, HIDDEN = 500, 800, 16
MU, DELTA = 0.5, 1e-5
STEPS, RATE, PARTS = 60, 0.3, 4  # steps of a training, its learning rate, checkpoints
EPSILON = float(theory.GaussianDP(mu=MU).epsilon(DELTA))
CLAIM = theory.ApproximateDP(EPSILON, DELTA, adjacency="add_remove")

# Random labels, which a network can only learn by heart; rows have norm 1.
RNG = np.random.default_rng(3)
X = RNG.normal(size=(N, WIDTH)).astype(np.float32)
X /= np.linalg.norm(X, axis=1, keepdims=True)
Y = RNG.choice([-1.0, 1.0], size=N).astype(np.float32)


def plan_of(seed: int = 10**40) -> CanaryPlan:
    return dpviz.canaries(n=400, among=range(N), seed=seed)


def by_identifier(plan: CanaryPlan, losses: FloatArray) -> dict[Any, float]:
    return {each: float(losses[int(each)]) for each in plan.canaries}


def rows_of(plan: CanaryPlan) -> list[int]:
    plan.check_training_set(used := plan.training_set())
    return [*map(int, used)]


def first_weights(rng: np.random.Generator) -> list[FloatArray]:
    shapes = ((WIDTH, HIDDEN), (HIDDEN,))
    return [(rng.normal(size=each) / np.sqrt(each[0])).astype(np.float32) for each in shapes]


def noise_like(weights: list[Any], rng: np.random.Generator, sd: float) -> list[FloatArray]:
    return [rng.normal(scale=sd, size=tuple(w.shape)).astype(np.float32) for w in weights]


Training = Callable[[list[int], int, float], list[FloatArray]]


def train_torch(rows: list[int], seed: int, sd: float) -> list[FloatArray]:
    """Return the losses of all records at each checkpoint."""
    torch = import_module("torch")
    grad, vmap = torch.func.grad, torch.func.vmap

    def loss(weights: Any, x: Any, y: Any) -> Any:
        return torch.nn.functional.softplus(-y * (torch.tanh(x @ weights[0]) @ weights[1]))

    rng, everything = np.random.default_rng(seed), (torch.tensor(X), torch.tensor(Y))
    weights, losses = [torch.tensor(w) for w in first_weights(rng)], []
    for step in range(1, STEPS + 1):
        each = vmap(grad(loss), in_dims=(None, 0, 0))(weights, *(a[rows] for a in everything))
        norms = sum(g.flatten(1).square().sum(1) for g in each).sqrt()
        shares = 1 / torch.clamp(norms, min=1)
        sums = [torch.tensordot(shares, g, dims=1) for g in each]
        noise = noise_like(weights, rng, sd)
        weights = [
            w - RATE * (s + torch.tensor(z)) for w, s, z in zip(weights, sums, noise, strict=True)
        ]
        if step % (STEPS // PARTS) == 0:
            losses.append(vmap(loss, in_dims=(None, 0, 0))(weights, *everything).numpy())
    return losses


def train_jax(rows: list[int], seed: int, sd: float) -> list[FloatArray]:
    """Return the losses of all records at each checkpoint."""
    jax = import_module("jax")
    jnp, rng = jax.numpy, np.random.default_rng(seed)

    def loss(weights: Any, x: Any, y: Any) -> Any:
        return jax.nn.softplus(-y * (jnp.tanh(x @ weights[0]) @ weights[1]))

    def sum_of_clipped(weights: Any) -> Any:
        each = jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(weights, X[rows], Y[rows])
        norms = jnp.sqrt(sum(jnp.sum(g.reshape(len(rows), -1) ** 2, axis=1) for g in each))
        return [jnp.tensordot(1 / jnp.maximum(norms, 1), g, axes=1) for g in each]

    compiled = jax.jit(sum_of_clipped)
    weights, losses = [jnp.array(w) for w in first_weights(rng)], []
    for step in range(1, STEPS + 1):
        sums, noise = compiled(weights), noise_like(weights, rng, sd)
        weights = [w - RATE * (s + z) for w, s, z in zip(weights, sums, noise, strict=True)]
        if step % (STEPS // PARTS) == 0:
            losses.append(np.array(jax.vmap(loss, in_axes=(None, 0, 0))(weights, X, Y)))
    return losses


def train_sklearn(rows: list[int], seed: int, sd: float) -> list[FloatArray]:
    """Return the losses of all records by a logistic regression with noise on its coefficients.

    The minimum of C (sum of losses) + |w|^2 / 2 moves by at most C if a record with |x| <= 1 is
    added (Chaudhuri, Monteleoni and Sarwate 2011); noise of C / MU in each coordinate gives MU-GDP.
    """
    linear_model = import_module("sklearn.linear_model")
    c, rng = 100.0, np.random.default_rng(seed)
    model = linear_model.LogisticRegression(C=c, fit_intercept=False, tol=1e-10, max_iter=10**5)
    coefficients = model.fit(X[rows].astype(float), Y[rows]).coef_[0]
    noisy = coefficients + rng.normal(scale=sd / np.sqrt(STEPS) * c, size=WIDTH)
    return [np.logaddexp(0, -Y * (X @ noisy))]


TRAININGS: dict[str, Training] = {
    "PyTorch": train_torch,
    "JAX": train_jax,
    "scikit-learn": train_sklearn,
}


@pytest.mark.parametrize("name", TRAININGS)
@pytest.mark.parametrize(
    ("sd", "outcome"), [(np.sqrt(STEPS) / MU, "not contradicted"), (0, "contradicted")]
)
def test_only_the_training_without_its_noise_is_contradicted(
    name: str, sd: float, outcome: Outcome, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = plan_of()
    checkpoints = TRAININGS[name](rows_of(plan), 5, sd)
    test = CanaryCheckpoints(plan, CLAIM, planned=len(checkpoints), kind="loss")
    for k, losses in enumerate(checkpoints, 1):
        test.update(f"checkpoint {k}", by_identifier(plan, losses))
    last = plan.scores(by_identifier(plan, checkpoints[-1]), kind="loss")
    bound = audit.lower_bound(last, delta=DELTA)
    with capsys.disabled():
        sys.stdout.write(
            f"{name}, noise {sd:.3g}: claimed {EPSILON:.3f}, joint bound {test.low:.3f}, "
            f"bound at the end {bound.low:.3f}, AUC {audit.auc(last):.3f}, {test.verdict}\n"
        )
    assert test.verdict == outcome
    assert (bound.low > EPSILON) == (outcome == "contradicted")


# ----- callbacks: at a learning rate of 0 a model learns nothing, and any claim is true

EPOCHS = 30
WATCHED = theory.ApproximateDP(1.0, DELTA, adjacency="add_remove")


def watch_of(plan: CanaryPlan, losses: Callable[[Any], FloatArray]) -> ClaimWatch:
    test = CanaryCheckpoints(plan, WATCHED, planned=EPOCHS, kind="loss")
    return ClaimWatch(test, lambda model: by_identifier(plan, losses(model)))


def fit_keras(plan: CanaryPlan, rate: float, monkeypatch: pytest.MonkeyPatch) -> ClaimWatch:
    monkeypatch.setenv("KERAS_BACKEND", "jax")
    keras = import_module("keras")
    keras.utils.set_random_seed(1)
    layers = [keras.layers.Dense(HIDDEN, activation="tanh"), keras.layers.Dense(1)]
    model = keras.Sequential([keras.Input((WIDTH,)), *layers])
    loss = keras.losses.BinaryCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(rate), loss)
    rows = rows_of(plan)

    def losses(model: Any) -> FloatArray:
        return np.asarray(np.logaddexp(0, -Y * np.array(model(X))[:, 0]))

    watch = watch_of(plan, losses)
    given = {"epochs": EPOCHS, "verbose": 0, "callbacks": [watch.keras()]}
    model.fit(X[rows], (Y[rows] > 0).astype(np.float32)[:, None], **given)
    return watch


def torch_network(torch: Any) -> Any:
    torch.manual_seed(1)
    layers = torch.nn.Linear(WIDTH, HIDDEN), torch.nn.Tanh(), torch.nn.Linear(HIDDEN, 1)
    return torch.nn.Sequential(*layers)


def torch_losses(torch: Any, model: Any) -> FloatArray:
    with torch.no_grad():
        return np.asarray(np.logaddexp(0, -Y * model(torch.tensor(X)).numpy()[:, 0]))


def fit_lightning(plan: CanaryPlan, rate: float, _: pytest.MonkeyPatch) -> ClaimWatch:
    torch, lightning = map(import_module, ("torch", "lightning.pytorch"))

    class Module(lightning.LightningModule):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            super().__init__()
            self.network = torch_network(torch)

        def training_step(self, batch: Any, _: int) -> Any:
            x, y = batch
            return torch.nn.functional.softplus(-y * self.network(x)[:, 0]).mean()

        def configure_optimizers(self) -> Any:
            return torch.optim.Adam(self.parameters(), rate)

    rows = rows_of(plan)
    records = torch.utils.data.TensorDataset(torch.tensor(X[rows]), torch.tensor(Y[rows]))
    watch = watch_of(plan, lambda module: torch_losses(torch, module.network))
    quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False}
    quiet |= {"enable_model_summary": False}
    trainer = lightning.Trainer(
        accelerator="cpu", max_epochs=EPOCHS, callbacks=[watch.lightning()], **quiet
    )
    trainer.fit(Module(), torch.utils.data.DataLoader(records, batch_size=64, shuffle=True))
    return watch


def fit_transformers(plan: CanaryPlan, rate: float, monkeypatch: pytest.MonkeyPatch) -> ClaimWatch:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    torch, transformers = map(import_module, ("torch", "transformers"))

    class Module(torch.nn.Module):  # type: ignore[name-defined,misc]
        def __init__(self) -> None:
            super().__init__()
            self.network = torch_network(torch)

        def forward(self, x: Any, labels: Any) -> dict[str, Any]:
            logits = self.network(x)[:, 0]
            return {"loss": torch.nn.functional.softplus(-labels * logits).mean(), "logits": logits}

    records = [{"x": X[i], "labels": Y[i]} for i in rows_of(plan)]
    watch = watch_of(plan, lambda module: torch_losses(torch, module.network))
    quiet = {"save_strategy": "no", "report_to": [], "disable_tqdm": True}
    quiet |= {"logging_strategy": "no", "use_cpu": True}
    arguments = transformers.TrainingArguments(
        learning_rate=rate, num_train_epochs=EPOCHS, per_device_train_batch_size=64, **quiet
    )
    callbacks = [watch.transformers()]
    model = Module()
    transformers.Trainer(model, arguments, train_dataset=records, callbacks=callbacks).train()
    return watch


FITS = {"Keras": fit_keras, "Lightning": fit_lightning, "transformers": fit_transformers}


@pytest.mark.parametrize("name", FITS)
@pytest.mark.parametrize("rate", [0.0, 0.01])
def test_a_library_stops_the_training_that_learns_by_heart(
    name: str,
    rate: float,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Any,
) -> None:
    monkeypatch.chdir(tmp_path)
    plan = plan_of()
    watch = FITS[name](plan, rate, monkeypatch)
    test: Any = watch.test
    with capsys.disabled():
        sys.stdout.write(
            f"{name}, learning rate {rate}: {watch.epochs} epochs, claimed 1, "
            f"joint bound {test.low:.3f}, {test.verdict}\n"
        )
    assert test.verdict == ("contradicted" if rate else "not contradicted")
    assert watch.epochs < EPOCHS if rate else watch.epochs == EPOCHS
    assert test.contradicted == ((f"epoch {watch.epochs}",) if rate else ())
