"""The JSON form: its published schema, the same bytes for the same input, damaged documents."""

import copy
import json
import random
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import dpviz
from dpviz import theory
from dpviz.analysis.topics.bounds import BoundsQuestion, lower_bounds
from dpviz.cli import main
from dpviz.reports import ABOUT, read_report
from dpviz.reports.read import SCHEMA_FILE, published_schema
from dpviz.reports.write import report_as

MOMENT = datetime(2026, 11, 22, 12, tzinfo=UTC)
SMALL = ([0.1, 0.2, 0.3, 0.4], [0.25, 0.5, 0.6, 0.7])
VALUES = [None, True, -1, 2.5, "x", "inf", [], {}, [[]], {"value": 1}, 10**400]
# What an audit of scores has to state, by the issue's list of fields.
NEEDED = {
    "document": ("dpviz", "python", "numpy", "scipy", "code", "state"),
    "claim": ("kind", "statement", "guarantee", "epsilon", "delta", "adjacency"),
    "scores": (
        *("source", "sha256", "loader", "kind", "orientation", "n_members", "n_nonmembers"),
        *("ties", "n_dropped"),
    ),
    "sampling": tuple(ABOUT["sampling"]),
    "threshold": ("strategy", "realised_fpr"),
    "params": ("delta", "prior", "confidence_level"),
    "results": ("roc_vertices", "auc", "tpr_at_fpr", "advantage", "ppv", "balanced_accuracy"),
    "epsilon": ("epsilon_star", "raw_epsilon", "lower_bound", "ceiling", "epsilon_star_by_chance"),
}


def schemas() -> Any:
    """JSON Schema's rules. Late: its grammars take seconds, in each process that collects tests."""
    from jsonschema import Draft202012Validator

    return Draft202012Validator


def validator() -> Any:
    return schemas()(published_schema())


def document(result: dpviz.Result, **given: Any) -> Any:
    text = report_as(".json", result, created=MOMENT, **given).decode()
    return json.loads(text, parse_constant=lambda token: pytest.fail(token))


@pytest.fixture(scope="module")
def small() -> Any:
    return document(dpviz.analyze(SMALL, epsilon=1.0))


def test_the_schema_is_a_schema() -> None:
    schemas().check_schema(published_schema())
    text = SCHEMA_FILE.read_text("utf-8")
    # What dpviz's own check understands.
    known = {
        *("type", "required", "properties", "additionalProperties", "items", "enum", "const"),
        *("pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "anyOf"),
        *("minItems", "$ref", "$defs", "$schema", "$id", "title", "description"),
    }

    def keywords(schema: Any) -> set[str]:
        inner = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
        inner += schema.get("anyOf", [])
        inner += [
            s for k in ("items", "additionalProperties") if isinstance(s := schema.get(k), dict)
        ]
        return set(schema) | {word for each in inner for word in keywords(each)}

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(pairs)) == len(pairs), pairs
        return dict(pairs)

    assert keywords(json.loads(text, object_pairs_hook=once)) <= known


def test_documents_of_all_kinds_fit_the_schema(tmp_path: Path) -> None:
    scores = dpviz.read_scores(SMALL)
    bounds = lower_bounds(scores, BoundsQuestion(confidence_level=0.9))
    results = [
        dpviz.analyze(scores).with_answer("bounds", bounds),
        dpviz.analyze(SMALL, claim=theory.GaussianDP(mu=1.0), method="normal"),
        dpviz.analyze(SMALL, epsilon=float("inf")),
        dpviz.analyze(epsilon=2.0),
        dpviz.analyze(claim=theory.PiecewiseLinear([(0, 1), (1, 0)])),
    ]
    about = {group: dict.fromkeys(fields, 1.5) for group, fields in ABOUT.items()}
    for result in results:
        found = document(result, about=about)
        validator().validate(found)
        path = tmp_path / "audit.json"
        dpviz.report(result, path, about=about, created=MOMENT)
        assert read_report(path) == found


def test_what_an_audit_has_to_state_is_there(small: Any) -> None:
    for group, names in NEEDED.items():
        assert set(names) <= set(small[group]), group
    assert "warnings" in small
    for name in ("schema", "created", "dpviz_version", "not_claimed", "figures"):
        assert small[name], name
    assert small["subject"]["model_name"] == {"label": "model", "value": None}
    assert [figure["name"] for figure in small["figures"]][:2] == ["ruler", "region"]


def test_the_receipt_of_canaries_is_stated(small: Any) -> None:
    plan = dpviz.canaries(n=20, among=range(50), seed=10**40)
    scores = plan.scores({each: each / 50 for each in plan.canaries})
    found = document(dpviz.analyze(scores))
    validator().validate(found)
    assert found["scores"]["receipt"] == {
        "label": "receipt (SHA-256 of the plan of canaries)",
        "value": plan.receipt,
    }
    assert "receipt" not in small["scores"]


def test_the_same_input_gives_the_same_bytes() -> None:
    first, second = (
        report_as(".json", dpviz.analyze(SMALL, epsilon=1.0), created=moment).decode().splitlines()
        for moment in (MOMENT, MOMENT + timedelta(days=1))
    )
    apart = [(a, b) for a, b in zip(first, second, strict=True) if a != b]
    assert [a.split(":")[0].strip() for a, _ in apart] == ['"created"']


def test_the_command_s_bytes_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = tmp_path / "a.csv"
    rows = [f"{loss},{int(is_member)}" for is_member in (1, 0) for loss in SMALL[1 - is_member]]
    scores.write_text("\n".join(["loss,member", *rows]))
    paths = [tmp_path / f"{i}.json" for i in range(2)]
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1795348800")
    for path in paths:
        assert main(["audit", str(scores), "--json", str(path)]) == 0
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert json.loads(paths[0].read_text("utf-8"))["created"] == "2026-11-22T12:00:00+00:00"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    assert main(["audit", str(scores), "--json", str(paths[0])]) == 2
    assert (
        "SOURCE_DATE_EPOCH must be whole seconds since 1970-01-01, got 'yes"
        in capsys.readouterr().err
    )


def test_the_deployment_has_the_registrys_names(small: Any) -> None:
    # Of opendp/deployments-registry-data, schema of 2026-07.
    assert small["deployment"] == {
        "dp_variant": {"variant_name": "Approximate DP"},
        "privacy_loss": {
            "privacy_unit_details": "adjacency: replace_one",
            "privacy_parameters": {"epsilon": 1.0, "delta": 1e-5},
        },
        "implementation": {"mechanisms": "DP ε = 1, δ = 1e-5"},
    }


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    return [path, *(found for key in keys for found in paths(value[key], (*path, key)))]


def written(path: tuple[Any, ...]) -> str:
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)


@pytest.mark.slow
def test_damaged_documents_are_refused_with_the_field(small: Any, tmp_path: Path) -> None:
    small = small | {"figures": small["figures"][:1], "sentences": {}}
    small["results"]["roc_vertices"]["value"] = [[0, 0], [4, 4]]
    rng, places, check = random.Random(26), paths(small), validator()
    file, refused = tmp_path / "audit.json", 0
    for _ in range(400):
        damaged = copy.deepcopy(small)
        path = rng.choice(places[1:])
        inside = damaged
        for key in path[:-1]:
            inside = inside[key]
        match rng.randrange(3):
            case 0:
                inside[path[-1]] = rng.choice(VALUES)
            case 1:
                del inside[path[-1]]
            case 2 if isinstance(inside, dict):
                inside[f"{path[-1]}x"] = inside.pop(path[-1])
        file.write_text(json.dumps(damaged), "utf-8")
        if check.is_valid(damaged):  # another text is as good
            assert read_report(file) == damaged
            continue
        refused += 1
        with pytest.raises(ValueError, match=r"audit\.json") as error:
            read_report(file)
        assert written(path[:-1]) in str(error.value)
    assert refused >= 150
    text = json.dumps(small)
    for _ in range(100):
        file.write_text(text[: rng.randrange(len(text))], "utf-8")
        with pytest.raises(ValueError, match=r"audit\.json must be JSON"):
            read_report(file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "a.json must be a report of schema dpviz/audit/1, got []"),
        ('{"schema": "dpviz/audit/1"}', "a.json.dpviz_version is missing"),
        ("[" * 10_000 + "]" * 10_000, "a.json must be JSON"),
        ('{"schema": NaN}', "NaN is no JSON"),
        ("\ud800", "a.json must be text in UTF-8"),
    ],
    ids=range(5),
)
def test_other_files_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(text.encode("utf-8", errors="surrogatepass"))
    with pytest.raises(ValueError, match=re.escape(message)):
        read_report(path)


def test_a_report_of_another_version_is_rejected_in_a_sentence(small: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for schema in ("dpviz/audit/2", "dpviz/audit/0", 1, None):
        path.write_text(json.dumps({**small, "schema": schema}), "utf-8")
        message = (
            "a.json.schema must be 'dpviz/audit/1', the only version that this release reads, "
            f"got {schema!r}"
        )
        for read in (read_report, lambda file: dpviz.compare_reports(file, file)):
            with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
                read(path)
