"""Texts and files of other tools: TensorFlow Privacy's statement, the registry's YAML."""

import copy
from pathlib import Path
from typing import Any

import pytest
import yaml

from dpviz import read_claim
from dpviz.theory import ApproximateDP, PureDP, ZeroConcentratedDP

STATEMENT = """DP-SGD performed over 10000 examples with 64 examples per iteration, noise
multiplier 2.0 for 5.0 epochs with microbatching, and no bound on number of
examples per user.

Example-level DP with add-or-remove-one adjacency at delta = 1e-06 computed with
RDP accounting:

    Epsilon with each example occurring once per epoch:        13.376
    Epsilon assuming Poisson sampling (*):                      1.616

No user-level privacy guarantee is possible without a bound on the number of
examples per user.
"""


def test_a_statement_of_tensorflow_privacy(tmp_path: Path) -> None:
    path = tmp_path / "statement.txt"
    path.write_text(STATEMENT)
    for source in (STATEMENT, path):
        claim = read_claim(source)
        expected = ApproximateDP(epsilon=13.376, delta=1e-6, adjacency="add_remove")
        assert claim.guarantee == expected
        assert claim.states_adjacency
        assert 'read_claim((1.616, 1e-06), adjacency="add_remove")' in str(claim)
    with pytest.raises(ValueError, match='with "Epsilon with each example occurring'):
        read_claim(STATEMENT.partition("Epsilon with")[0])
    with pytest.raises(ValueError, match="adjacency of the statement must be one of"):
        read_claim(STATEMENT.replace("add-or-remove-one", "zero-out"))


def deployment(variant: Any, **parameters: Any) -> dict[str, Any]:
    return {
        "url_slug": "a-slug",
        "deployment": {
            "basic": {"name": "Counts"},
            "dp_variant": {"variant_name": variant},
            "privacy_loss": {"privacy_unit": "User-level", "privacy_parameters": parameters},
        },
    }


ZCDP = "Zero-concentrated DP"


@pytest.mark.parametrize(
    ("entry", "expected", "note"),
    [
        (deployment("Pure DP", epsilon=4.0), PureDP(epsilon=4.0), "User-level"),
        (
            deployment("Approximate DP", epsilon=4.0, delta=1e-7),
            ApproximateDP(epsilon=4.0, delta=1e-7),
            "'Counts'",
        ),
        (deployment(ZCDP, rho=2.63), ZeroConcentratedDP(rho=2.63), "a-slug"),
        (
            deployment(ZCDP, rho=0.1, epsilon=2),
            ZeroConcentratedDP(rho=0.1),
            "also stated: epsilon 2",
        ),
        (
            deployment("Pure DP", epsilon=1.0, delta=1e-7),
            ApproximateDP(epsilon=1.0, delta=1e-7),
            "says pure DP and states a delta",
        ),
    ],
)
def test_deployments(tmp_path: Path, entry: Any, expected: Any, note: str) -> None:
    path = tmp_path / "entry.yaml"
    path.write_text(yaml.safe_dump(entry))
    claim = read_claim(path)
    assert claim.guarantee == expected
    assert not claim.states_adjacency
    assert note in str(claim)


def renamed(**parts: Any) -> dict[str, Any]:
    entry = copy.deepcopy(deployment("Pure DP", epsilon=1.0))
    entry["deployment"].update(parts)
    return entry


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (deployment("Pure DP"), "of 'Counts' must have epsilon or rho, got no numbers"),
        (
            deployment("Approximate DP", epsilon=1.0),
            "of Approximate DP must be a section with delta",
        ),
        (
            deployment("Approximate DP", delta=0.1),
            "of Approximate DP must be a section with epsilon",
        ),
        (deployment(ZCDP, epsilon=0.1), "of Zero-concentrated DP must be a section with rho"),
        (deployment(None, epsilon=1.0), "variant_name must be one of Pure DP, .* got None"),
        (
            deployment("Approximate DP", epsilon=0.1, delta="n^{-log n}"),
            "delta must be a number, got 'n\\^",
        ),
        (renamed(privacy_loss=None), "deployment.privacy_loss must be a section"),
        (deployment("Pure DP", eps=1.0), r"must have epsilon or rho, got \['eps'\]"),
        (deployment("Pure DP", epsilon="1.0"), "epsilon must be a number, got '1.0'"),
        (deployment("Pure DP", epsilon=[1.0]), r"epsilon must be a single number, got \[1.0\]"),
        (deployment(["Pure DP"], epsilon=1.0), r"one of Pure DP, .* got \['Pure DP'\]"),
        (
            {"deployment": {"basic": {"name": "Counts"}, "loss": {}}},
            "deployment.privacy_loss must be a section .* got only basic, loss",
        ),
        (
            {"url_slug": "a-slug", "deployments": {}},
            "deployment must be a section .* got only url_slug, deployments",
        ),
        (renamed(basic=3), "deployment.basic must be a section"),
        ({"deployment": None}, "deployment must be a section"),
    ],
)
def test_deployments_that_lack_something(entry: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_claim(entry)


@pytest.mark.parametrize(
    ("path", "place"),
    [("dp_variant", "deployment.dp_variant"), ("privacy_parameters", "deployment.privacy_loss")],
)
@pytest.mark.parametrize("value", ["text", 0.5, [{"variant_name": "Pure DP"}]], ids=str)
def test_a_part_that_is_no_section(path: str, place: str, value: Any) -> None:
    entry = deployment("Pure DP", epsilon=4.0)
    parent = entry["deployment"] if path == "dp_variant" else entry["deployment"]["privacy_loss"]
    parent[path] = value
    with pytest.raises(ValueError, match=f"^{place}.* must be a section of the deployment's file"):
        read_claim(entry)


def test_nothing_in_a_yaml_file_is_executed(tmp_path: Path) -> None:
    path = tmp_path / "entry.yaml"
    path.write_text("deployment: !!python/object/apply:os.system ['touch " + str(tmp_path) + "/x']")
    with pytest.raises(ValueError, match="must be YAML: could not determine a constructor"):
        read_claim(path)
    assert not (tmp_path / "x").exists()


def test_damaged_yaml_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "entry.yaml"
    path.write_text("deployment:\n  basic: a\n    name: b\nurl_slug\n")
    with pytest.raises(ValueError, match="must be YAML: ") as refused:
        read_claim(path)
    assert str(refused.value).isprintable()
