"""What the fuzzer tries: valid inputs, how they are changed, and what takes them."""

import gzip
import io
import json
import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import yaml
from pyarrow import feather, parquet

import dpviz
from benchmarks.fuzz_changes import changed_bytes, changed_document
from dpviz.analysis.facts.answers import read_facts
from dpviz.analysis.spec import Spec
from dpviz.analysis.state.json_state import from_state, state_of
from dpviz.claims import read_claim
from dpviz.data import read_fleet, read_scores
from dpviz.reports.read import checked_report
from dpviz.reports.receipt import Receipt
from dpviz.reports.write import report_as
from dpviz.theory import GaussianMechanism, PureDP
from dpviz.widgets import browser_input

FOLDER = Path(tempfile.mkdtemp(prefix="dpviz-fuzz-"))


@dataclass(frozen=True, kw_only=True)
class Target:
    """What is tried: valid inputs, how they are changed, and what takes them."""

    name: str
    count: int
    valid: list[Any]
    take: Callable[[Any], object]
    change: Callable[[random.Random, Any], Any] = changed_document

    def input(self, seed: int, number: int) -> Any:
        """The input of this number."""
        rng = random.Random(f"{seed} {self.name} {number}")
        return self.change(rng, rng.choice(self.valid))


def text_of(document: Any) -> str:
    """JSON of a document; bytes in it become text."""
    return json.dumps(document, default=repr)


def file_target(name: str, count: int, *valid: bytes) -> Target:
    """A file of scores, named by its end."""
    options: list[dict[str, Any]] = [{}, {}, {"missing": "drop"}, {"group": "g"}]
    options += [{"kind": "score"}, {"memory_limit": 0}, {"score": "loss", "member": "member"}]

    def take(content: bytes) -> None:
        chosen = options[sum(content) % len(options)]
        given = {"memory_limit": 2**26, "progress": iter} | chosen
        scores = read_scores(content, name=f"s{name}", **given)
        for values in (scores.members.values, scores.nonmembers.values):
            assert values.size, "no scores"
            assert np.isfinite(values).all(), "scores that are not finite"

    return Target(name=name, count=count, valid=list(valid), take=take, change=changed_bytes)


def written(write: Callable[[Any], Any]) -> bytes:
    """What `write` writes into a file."""
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()


def file_targets() -> list[Target]:
    """One for each kind of file."""
    rng = np.random.default_rng(0)
    n = 12
    columns = {"loss": rng.normal(size=n).round(3), "member": np.arange(n) % 2, "g": list("ab") * 6}
    frame = pd.DataFrame(columns)
    named = pd.DataFrame({"nll": columns["loss"], "split": ["train", "test"] * 6})
    table = pa.table(frame)
    csv = [each.to_csv(index=False).encode() for each in (frame, named)]
    rows = [each.to_dict("records") for each in (frame, named)]
    fields = {"member_losses": [0.5, 1.0, 0.1], "nonmember_losses": [2.0, 3.0]}
    arrays = {"member": columns["loss"][:6], "nonmember": columns["loss"][6:]}
    structured = np.zeros(4, [("loss", "f8"), ("member", "?")])
    structured["member"][:2] = True

    def stream(sink: Any) -> None:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)

    return [
        file_target(".csv", 120_000, *csv),
        file_target(".tsv", 30_000, *(each.replace(b",", b"\t") for each in csv)),
        file_target(".csv.gz", 30_000, *(gzip.compress(each, mtime=0) for each in csv)),
        file_target(".json", 100_000, *(text_of(each).encode() for each in (*rows, fields))),
        file_target(".jsonl", 100_000, *("\n".join(map(text_of, each)).encode() for each in rows)),
        file_target(".npy", 80_000, written(lambda sink: np.save(sink, structured))),
        file_target(
            ".npz",
            40_000,
            written(lambda sink: np.savez(sink, **arrays)),
            written(lambda sink: np.savez_compressed(sink, **arrays)),
        ),
        file_target(
            ".parquet",
            25_000,
            written(lambda sink: parquet.write_table(table, sink)),
            written(lambda sink: parquet.write_table(table, sink, compression="zstd")),
        ),
        file_target(
            ".feather",
            25_000,
            written(lambda sink: feather.write_feather(table, sink)),
            written(lambda sink: feather.write_feather(table, sink, compression="zstd")),
        ),
        file_target(".arrow", 25_000, written(stream)),
    ]


def document_targets() -> list[Target]:
    """Fleets, claims, facts, states, receipts and reports."""
    scores = dpviz.AttackScores(member=[0.1, 0.4, 0.2], nonmember=[0.3, 0.9])
    claims = [PureDP(epsilon=1.0), GaussianMechanism(noise_multiplier=1.0)]
    specs = [Spec(), *(Spec(claim=claim) for claim in claims), Spec(overlays=tuple(claims))]
    states = [state_of(spec, each) for spec in specs for each in (None, scores)]
    receipts = [
        Receipt(claim=claim, attack="LiRA", n_members=9, n_nonmembers=8, dpviz_version="0").text()
        for claim in claims
    ]
    fleet = pd.DataFrame(
        {"model": list("aabb"), "loss": [0.1, 0.5, 0.2, 0.9], "member": [1, 0, 1, 0], "epsilon": 1}
    )
    audited = json.loads(report_as(".json", dpviz.analyze(scores)))
    registry = yaml.safe_dump(
        {
            "url_slug": "a-slug",
            "deployment": {
                "basic": {"name": "Counts"},
                "dp_variant": {"variant_name": "Pure DP"},
                "privacy_loss": {
                    "privacy_unit": "User-level",
                    "privacy_parameters": {"epsilon": 4.0, "delta": 1e-6},
                },
            },
        }
    )
    stated = [{"epsilon": 1.0, "delta": 1e-5}, {"mu": 1.0}, {"rho": 0.5}, *states[:4]]
    texts = ["1.0,1e-5", "gaussian_dp:mu=1.2", "subsampled_gaussian:noise_multiplier=1"]
    facts = 'population = "same"\nattack = {answer = "", note = "12 runs"}\n'

    def in_file(name: str, take: Callable[[Path], object]) -> Callable[[bytes], object]:
        path = FOLDER / name

        def taken(content: bytes) -> object:
            path.write_bytes(content)
            return take(path)

        return taken

    def as_json(take: Callable[[str], object]) -> Callable[[Any], object]:
        return lambda document: take(text_of(document))

    return [
        Target(
            name="fleets",
            count=15_000,
            valid=[fleet.to_csv(index=False).encode()],
            take=lambda content: read_fleet(content, name="fleet.csv"),
            change=changed_bytes,
        ),
        Target(name="claims", count=100_000, valid=stated, take=read_claim),
        Target(
            name="claims as text",
            count=60_000,
            valid=[each.encode() for each in texts],
            take=lambda content: read_claim(content.decode(errors="replace")),
            change=changed_bytes,
        ),
        Target(name="states", count=120_000, valid=states, take=as_json(from_state)),
        Target(
            name="receipts",
            count=80_000,
            valid=[json.loads(each) for each in receipts],
            take=as_json(Receipt.of),
        ),
        Target(
            name="reports",
            count=10_000,
            valid=[audited],
            take=as_json(lambda text: checked_report("report.json", text)),
        ),
        Target(
            name="facts",
            count=30_000,
            valid=[facts.encode()],
            take=in_file("facts.toml", read_facts),
            change=changed_bytes,
        ),
        Target(
            name="claims as YAML",
            count=10_000,
            valid=[registry.encode()],
            take=in_file("claim.yaml", read_claim),
            change=changed_bytes,
        ),
    ]


def message_targets() -> list[Target]:
    """What a browser sends."""
    changes = {"0": {"fpr": 0.5, "epsilon": "inf"}, "1": {"claim.epsilon": 2.0, "prior": None}}
    uploads = [
        {"do": "begin", "id": "a", "name": "x.csv", "size": 100},
        {"do": "piece", "id": "a"},
        {"do": "cancel", "id": "a"},
    ]
    pieces = [memoryview(b"1")]
    return [
        Target(
            name="requests",
            count=120_000,
            valid=[{"serial": 3, "changes": changes}],
            take=browser_input.change_request,
        ),
        Target(
            name="upload messages",
            count=80_000,
            valid=uploads,
            take=lambda message: browser_input.upload_message(message, pieces),
        ),
        Target(
            name="clicks and drags",
            count=80_000,
            valid=[{"data": {"index": 1}, "point": {"x": 0.5, "y": 0.5}}],
            take=lambda message: (
                browser_input.clicked_index(message, 3),
                browser_input.drag_target(message),
            ),
        ),
    ]
