"""Receipts: equal ones have equal bytes, changed ones are refused, differences are listed."""

import hashlib
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dpviz
from dpviz import Analysis, Result, Spec, read_sample
from dpviz.cli import main
from dpviz.reports.material import report_data
from dpviz.reports.receipt import Receipt, read_receipt
from dpviz.reports.write import report_of
from dpviz.theory import ApproximateDP, Composed, GaussianDP, PureDP

PLAN: dict[str, Any] = {
    "claim": ApproximateDP(epsilon=1.0, delta=1e-5),
    "attack": "LiRA, 64 shadow models <b>ε</b>",
    "n_members": 300,
    "n_nonmembers": 1497,
}
RECEIPT = Receipt(**PLAN)
SAMPLE = str(Path(dpviz.__file__).parent / "data" / "samples" / "overfitted.csv")


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return Analysis(read_sample("overfitted"))


def audited(analysis: Analysis, **choices: Any) -> Result:
    spec = Spec.of(**choices)
    analysis.prepare_audit(spec)
    return analysis.result(spec)


def test_equal_receipts_have_equal_bytes_and_the_hash_of_their_canonical_json() -> None:
    again = Receipt(**dict(reversed(PLAN.items())), method="rank_exact", delta=1e-5)
    assert again.text() == RECEIPT.text()
    written = json.loads(RECEIPT.text())
    canonical = json.dumps(
        written["protocol"], sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    assert written["sha256"] == hashlib.sha256(canonical.encode()).hexdigest()
    assert written["protocol"]["dpviz_version"] == dpviz.__version__
    assert Receipt(**{**PLAN, "n_members": 301}).sha256 != RECEIPT.sha256


@pytest.mark.parametrize(
    "claim", [PureDP(epsilon=float("inf")), GaussianDP(mu=1), Composed([PureDP(epsilon=1)] * 3)]
)
def test_every_guarantee_comes_back(claim: Any) -> None:
    receipt = Receipt(**{**PLAN, "claim": claim}, neighbours="add_remove")
    assert Receipt.of(receipt.text()) == receipt
    assert receipt.method == ("rank_exact" if isinstance(claim, ApproximateDP) else "curve")


def test_an_audit_as_planned_and_one_that_is_not(analysis: Analysis) -> None:
    assert RECEIPT.compared(audited(analysis)).differences == ()
    done = audited(analysis, claim=GaussianDP(mu=2), delta=1e-6, confidence_level=0.9)
    compared = RECEIPT.compared(done)
    assert [each.field for each in compared.differences] == [
        "claim",
        "method",
        "delta",
        "confidence_level",
    ]
    assert "method curve (planned: rank_exact); δ 1e-6 (planned: 1e-5); confidence level 90 %" in (
        compared.sentence
    )
    assert RECEIPT.attack in compared.sentence
    fewer = Receipt(**{**PLAN, "n_members": 500, "dpviz_version": "0.0.1"}).compared(done)
    assert "number of members 300 (planned: 500)" in fewer.sentence
    assert "version of dpviz 0.1.0 (planned: 0.0.1)" in fewer.sentence
    with pytest.raises(ValueError, match="result must have scores"):
        RECEIPT.compared(dpviz.analyze())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_members": 0}, "n_members must be a whole number of at least 1, got 0"),
        ({"attack": " "}, "attack must be a text of 1 to 500 characters, got ' '"),
        ({"attack": "a\x1b[2J"}, "attack must be text on one line without control"),
        ({"method": "best"}, "method must be one of 'rank_exact', "),
        ({"delta": 1e-6}, "delta must be 1e-05, as in the claim, got 1e-06"),
        ({"confidence_level": 1}, r"confidence_level must be in \[0.5, 1\), got 1"),
        ({"applies_to": "all"}, "applies_to must be one of 'instance', 'mechanism'"),
        ({"claim": True}, "claim must be "),
    ],
)
def test_what_cannot_be_planned_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Receipt(**{**PLAN, **change})


def test_500_mutated_or_truncated_receipts_are_refused_with_the_field(tmp_path: Path) -> None:
    rng, path = random.Random(26), tmp_path / "receipt.json"
    text = RECEIPT.text()
    errors = []
    for damaged in [*truncated(text, rng, 150), *with_odd_values(rng, 350)]:
        path.write_bytes(damaged)
        try:
            assert read_receipt(path) == RECEIPT  # only its blanks were changed
        except ValueError as error:
            errors.append(str(error))
    assert len(errors) > 490
    assert [error for error in errors if not re.match(r"receipt(\.| must)", error)] == []


def truncated(text: str, rng: random.Random, times: int) -> Iterator[bytes]:
    data = text.encode()
    for _ in range(times):
        at = rng.randrange(len(data) - 2)
        yield data[:at] if rng.random() < 0.5 else data[:at] + rng.randbytes(3) + data[at + 1 :]


def with_odd_values(rng: random.Random, times: int) -> Iterator[bytes]:
    odd = (None, True, -1, 0.5, 1e400, 10**400, "x", "", [], {}, [[]], {"type": "pure"}, "\ud800")
    for _ in range(times):
        read = json.loads(RECEIPT.text())
        place = rng.choice([read, *[read["protocol"]] * 4, read["protocol"]["claim"]])
        name = rng.choice(sorted(place))
        if rng.random() < 0.2:
            del place[name]
        elif rng.random() < 0.2:
            place[f"{name}s"] = place.pop(name)
        else:
            place[name] = rng.choice(odd)
        yield json.dumps(read).encode()


def test_a_changed_receipt_names_the_hash() -> None:
    changed = RECEIPT.text().replace('"n_members": 300', '"n_members": 301')
    with pytest.raises(
        ValueError, match=r"receipt\.sha256 must be \w+, the hash of the protocol that"
    ):
        Receipt.of(changed)
    nested = '{"protocol": ' + '{"a":' * 50_000 + "1" + "}" * 50_000 + "}"
    with pytest.raises(ValueError, match="receipt must be "):
        Receipt.of(nested)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    shown = capsys.readouterr()
    return code, " ".join(shown.out.split()), shown.err


@pytest.mark.slow
def test_the_command_registers_and_checks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan, document = str(tmp_path / "plan.json"), tmp_path / "audit.json"
    asked = ("--claim", "8,1e-5", "--attack", "loss threshold", "--n", "300")
    asked += ("--n-nonmembers", "1497")
    code, out, _ = run(capsys, "register", *asked, "-o", plan)
    registered = read_receipt(plan)
    assert (code, out) == (0, f"SHA-256 of the protocol: {registered.sha256}")
    assert main(["register", *asked]) == 0
    assert capsys.readouterr().out == Path(plan).read_text("utf-8")
    assert (
        "output must be a file that does not exist yet"
        in run(capsys, "register", *asked, "-o", plan)[2]
    )

    code, out, _ = run(capsys, "audit", SAMPLE, "--protocol", plan, "--json", str(document))
    assert code == 3  # such a claim cannot be decided about with so few records
    assert f"The audit was done as planned in the receipt {registered.sha256[:12]}." in out
    assert "cannot decide whether ε = 8 holds" in out
    assert "as planned" in json.loads(document.read_text("utf-8"))["sentences"]["protocol"]

    other = ("--claim", "4,1e-5", "--json", str(document))
    code, out, _ = run(capsys, "audit", SAMPLE, "--protocol", plan, *other)
    assert code == 4
    assert "claim DP ε = 4, δ = 1e-5, replace_one (planned: DP ε = 8, δ = 1e-5, replace_one)" in out
    [warning] = json.loads(document.read_text("utf-8"))["warnings"]
    assert warning.startswith("not as registered: claim DP ε = 4")
    assert run(capsys, "audit", SAMPLE, "--protocol", plan, "--claim", "1,1e-5")[0] == 1


def test_a_report_has_the_protocol(analysis: Analysis) -> None:
    result = audited(analysis)
    assert report_of(report_data(result)).field("protocol", "sha256").text == "not stated"
    compared = RECEIPT.compared(result)
    made = report_of(report_data(result.with_answer("protocol", compared)))
    assert made.field("protocol", "sha256").value == RECEIPT.sha256
    assert made.field("protocol", "differences").text == "none"


def test_a_receipt_of_another_version_is_rejected_in_a_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for schema in ("dpviz/receipt/2", "dpviz/receipt/0", 1, None):
        content = json.loads(RECEIPT.text())
        content["protocol"]["schema"] = schema
        message = "must be 'dpviz/receipt/1', the only version that this release reads, got"
        with pytest.raises(ValueError, match=f"^receipt.protocol.schema {message} {schema!r}$"):
            Receipt.of(json.dumps(content))
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(content), "utf-8")
    assert run(capsys, "audit", SAMPLE, "--protocol", str(plan))[0] == 2
