"""Small documents cost little, whatever somebody wrote into them."""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dpviz import read_claim, read_facts
from dpviz.analysis.state.json_state import from_state
from dpviz.audit.evidence.stream import read_state_file
from dpviz.documents import parse_toml, parse_yaml, read_text, read_toml_or_yaml
from dpviz.reports import read_report
from dpviz.reports.receipt import read_receipt

READERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "claim": ("a.yaml", read_claim),
    "facts": ("a.toml", read_facts),
    "about": ("a.yml", lambda path: read_toml_or_yaml("about", path)),
    "receipt": ("a.json", read_receipt),
    "report": ("a.json", read_report),
    "state": ("a.json", lambda path: read_state_file(path, "dpviz/stream/1")),
}


def within_seconds(call: Callable[[], Any], seconds: float = 20) -> BaseException | None:
    """Return the error of a call; fail, without waiting on, if the call takes too long."""
    errors: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    assert not thread.is_alive()
    return errors[0] if errors else None


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize(
    "make",
    [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/null")],
    ids=["pipe", "folder", "device"],
)
def test_what_is_no_file_is_refused(make: Callable[[Path], Any], kind: str, tmp_path: Path) -> None:
    name, read = READERS[kind]
    make(tmp_path / name)
    error = within_seconds(lambda: read(tmp_path / name))
    assert isinstance(error, ValueError)
    assert " must be a file, not a folder, pipe or device, got " in str(error)


@pytest.mark.parametrize("kind", READERS)
def test_a_file_too_large_is_refused_before_it_is_read(kind: str, tmp_path: Path) -> None:
    name, read = READERS[kind]
    with (tmp_path / name).open("wb") as file:
        file.truncate(2**40)  # has no blocks
    with pytest.raises(ValueError, match=r"must be a file of at most \d+ bytes, got 'a\."):
        read(tmp_path / name)


@pytest.mark.parametrize("kind", READERS)
def test_a_long_path_is_not_printed_whole(kind: str) -> None:
    name, read = READERS[kind]
    with pytest.raises((OSError, ValueError)) as refused:
        read(Path("x" * 5000 + name))
    assert len(str(refused.value)) < 500


def test_the_text_is_utf_8_with_or_without_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbf\xce\xb5")
    assert read_text("it", path) == "ε"
    with pytest.raises(ValueError, match=r"it must be a file of at most 4 bytes, got 'a\.txt'"):
        read_text("it", path, 4)
    path.write_bytes(b"\xff")
    with pytest.raises(ValueError, match="it must be text in UTF-8: 'utf-8' codec can't decode"):
        read_text("it", path)


# Nine aliases a line: the last of nine lines stands for 9^8 entries.
LAUGHS = "a: &a [x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
DEPLOYMENT = """
deployment:
  basic: {name: *i}
  dp_variant: {variant_name: Pure DP}
  privacy_loss: {privacy_unit: User, privacy_parameters: {epsilon: 1}}
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LAUGHS + DEPLOYMENT, r"it must be YAML without aliases, got '\*a'"),
        ("&a [*a]", r"it must be YAML without aliases, got '\*a'"),
        ("a: &a {x: 1}\nb: {<<: *a}", r"it must be YAML without aliases, got '\*a'"),
        (f"x: [{'1,' * 50_000}]", "it must be YAML of at most 100000 characters, got 100005"),
        ("x: {a: 1, b: {c: 1, c: 2}}", "it must be a table without repeated keys, got 'c'"),
        ("[" * 90_000, r"it must be YAML with at most 200 open brackets, got \"'\[\[\["),
        ("{" * 90_000, r"it must be YAML with at most 200 open brackets, got \"'{{{"),
        ("- " * 9000, "it must be YAML: "),
        ("x: 2001-13-01", "it must be YAML: month must be in 1..12"),
    ],
    ids=range(9),
)
def test_yaml_that_is_dear_or_ambiguous_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_yaml("it", text)


@pytest.mark.parametrize(
    ("kind", "name", "text"),
    [
        ("claim", "a.yaml", "epsilon: 1\ndelta: 0\nepsilon: 8\n"),
        ("claim", "a.json", '{"epsilon": 1, "delta": 0, "epsilon": 8}'),
        *((kind, "a.json", '{"x": [{"a": 1, "a": 2}]}') for kind in ("receipt", "report", "state")),
    ],
)
def test_a_key_with_two_values_is_refused(kind: str, name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ValueError, match="must be a table without repeated keys, got '"):
        READERS[kind][1](path)


@pytest.mark.parametrize("text", ['"x": {"epsilon": 1, "epsilon": 2}', '"format": 1, "format": 1'])
def test_a_state_with_two_values_of_a_key_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be a table without repeated keys, got '"):
        from_state(f"{{{text}}}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a." * 49_000 + "b = 1", "it must be TOML with at most 500 dots on a line, got 49000"),
        ("[" + "a . " * 600 + "b]", "it must be TOML with at most 500 dots on a line, got 600"),
        ("#" * 100_001, "it must be TOML of at most 100000 characters, got 100001"),
        ("x = " + "[" * 9000, "it must be TOML: "),
    ],
    ids=range(4),
)
def test_toml_that_is_dear_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_toml("it", text)
