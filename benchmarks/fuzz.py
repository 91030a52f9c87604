"""A million random inputs: each is taken, or refused with one sentence that can be read.

    python -m benchmarks.fuzz [--share 1.0] [--seed 0] [--found FOLDER]

Readers of scores and claims, states, receipts, reports and messages of a browser get valid inputs
that were changed at random: bytes, or parts of a document. The same seed gives the same inputs. An
input that ends in any other way is printed, with the number that makes it again:
`Target.input(seed, number)`. What was found is in the tests: `tests/data/malformed`,
`tests/widgets/test_received.py`.
"""

import argparse
import copy
import gzip
import io
import json
import random
import resource
import tempfile
import time
import traceback
import warnings
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
from dpviz.analysis.facts.read_facts import read_facts
from dpviz.analysis.spec import Spec
from dpviz.analysis.state.state import from_state, state_of
from dpviz.claims import read_claim
from dpviz.data import read_fleet, read_scores
from dpviz.reports.read import checked_report
from dpviz.reports.receipt import Receipt
from dpviz.reports.write import report_as
from dpviz.theory import GaussianMechanism, PureDP
from dpviz.widgets import received

FOLDER = Path(tempfile.mkdtemp(prefix="dpviz-fuzz-"))
LONGEST = 2000  # characters of a message
ODD: list[Any] = [None, True, False, 0, -1, 1, 2, 0.5, 1e-300, 1e308, -0.0, 2**53, 2**63, 10**400]
ODD += [float("nan"), float("inf"), -float("inf"), "", "inf", "nan", "1", "1e5", "\x00", "a" * 300]
ODD += ["\ud800", "١", "<b>", "../x", [], {}, [[]], [{}], {"a": 1}, [1.0, 2.0], ["train"], b""]
NAMES = "loss losses member is_member score split epsilon delta claim spec scores dpviz type base"
NAMES += " serial changes do id name size x y point data index 0 1 sha256 protocol schema facts"
TOKENS = [*NAMES.encode().split(), b"nan", b"inf", b"1e999", b"-", b",", b"\n", b"\r", b'"', b"\0"]
TOKENS += [b"\xff" * 4, b"\x80", b"{", b"}", b"[", b"]", b":", b"9" * 30, b"PAR1", b"ARROW1", b"PK"]


def changed_bytes(rng: random.Random, valid: bytes) -> bytes:
    """A valid content with one to four changes."""
    content = bytearray(valid)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        begin = rng.randrange(len(content) + 1)
        length = rng.choice((0, 1, 1, 2, 8, 64))
        end = min(len(content), begin + length)
        how = rng.randrange(6)
        if how == 0:
            content[begin:end] = rng.randbytes(end - begin)
        elif how == 1:
            del content[begin:end]
        elif how == 2:
            content[begin:end] = rng.choice(TOKENS)
        elif how == 3:
            place = rng.randrange(len(content) + 1)
            content[place:place] = content[begin:end]
        elif how == 4 and begin < len(content):
            content[begin] ^= 1 << rng.randrange(8)
        elif rng.random() < 0.2:
            del content[begin:]
    return bytes(content)


def changed_document(rng: random.Random, valid: Any) -> Any:
    """A document with one to three parts replaced, left out, doubled or renamed."""
    document = copy.deepcopy(valid)
    for _ in range(rng.choice((1, 1, 2, 3))):
        places = list(_places(document))
        if not places:
            return copy.deepcopy(rng.choice(ODD))
        parent, key = rng.choice(places)
        how = rng.randrange(5)
        if how == 0:
            del parent[key]
        elif how == 1 and isinstance(parent, dict):
            parent[rng.choice(NAMES.split())] = parent.pop(key)
        elif how == 2:
            other, place = rng.choice(places)
            parent[key] = copy.deepcopy(other[place])
        else:
            parent[key] = copy.deepcopy(rng.choice(ODD))
    return document


def _places(document: Any) -> Any:
    """Each part with what it is in."""
    waiting = [document]
    while waiting:
        found = waiting.pop()
        if isinstance(found, dict | list):
            for key in found if isinstance(found, dict) else range(len(found)):
                yield found, key
                waiting.append(found[key])


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
            take=received.change_request,
        ),
        Target(
            name="upload messages",
            count=80_000,
            valid=uploads,
            take=lambda message: received.upload_message(message, pieces),
        ),
        Target(
            name="clicks and drags",
            count=80_000,
            valid=[{"data": {"index": 1}, "point": {"x": 0.5, "y": 0.5}}],
            take=lambda message: (
                received.picked_point(message, 3),
                received.dragged_place(message),
            ),
        ),
    ]


def ended(target: Target, given: Any) -> str:
    """How it ended: "taken" or "refused", otherwise what went wrong."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", UserWarning)
            target.take(given)
    except (ValueError, OSError) as error:
        said = str(error)
        if not said.isprintable():
            return f"a message with control characters: {said[:300]!r}"
        return "refused" if len(said) < LONGEST else f"a message of {len(said)} characters"
    except Exception:
        return traceback.format_exc(limit=-3)
    return "taken"


def main() -> None:
    """Try all, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="of the counts in the table")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("targets", nargs="*")
    chosen = parser.parse_args()
    total = 0
    print("| input | tried | taken | refused | other | CPU, slowest | memory |")
    print("|---|---|---|---|---|---|---|")
    for target in (*file_targets(), *document_targets(), *message_targets()):
        if chosen.targets and target.name not in chosen.targets:
            continue
        counts = {"taken": 0, "refused": 0, "other": 0}
        seen: set[str] = set()
        slowest = 0.0
        for number in range(round(target.count * chosen.share)):
            given = target.input(chosen.seed, number)
            begin = time.process_time()
            how = ended(target, given)
            slowest = max(slowest, time.process_time() - begin)
            counts[how if how in counts else "other"] += 1
            if how not in counts and how[-300:] not in seen and len(seen) < 5:
                seen.add(how[-300:])
                print(f"<!-- {target.name} {number}: {given!r:.2000}\n{how} -->", flush=True)
        tried = sum(counts.values())
        total += tried
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        shown = " | ".join(map(str, counts.values()))
        print(f"| {target.name} | {tried} | {shown} | {slowest:.2f} s | {peak} MiB |", flush=True)
    print(f"| all | {total} | | | | | |")


if __name__ == "__main__":
    main()
