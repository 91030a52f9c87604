"""That live.json is what dpviz shows now; the browser's side of it is in js/test."""

import json
import math
from typing import Any

from tests.parity.live_vectors import FILE, PARTS, written_head, written_part
from tests.slow import parametrize


def differences(kept: Any, now: Any, place: str = "") -> list[str]:
    """Places where two JSON values differ; floats may differ as far as processors do."""
    if isinstance(kept, dict) and isinstance(now, dict) and list(kept) == list(now):
        return [text for key in kept for text in differences(kept[key], now[key], f"{place}/{key}")]
    if isinstance(kept, list) and isinstance(now, list) and len(kept) == len(now):
        pairs = enumerate(zip(kept, now, strict=True))
        return [text for i, pair in pairs for text in differences(*pair, f"{place}/{i}")]
    if isinstance(kept, float) and isinstance(now, float):
        same = math.isclose(kept, now, rel_tol=1e-12)
    else:
        same = type(kept) is type(now) and kept == now
    return [] if same else [f"{place}: {kept!r} in the file, {now!r} now"]


def test_the_file_has_these_parts() -> None:
    kept = json.loads(FILE.read_text())
    assert list(kept) == ["header", "words", *PARTS]
    head = json.loads("{" + ",".join(written_head()) + "}")
    assert differences({name: kept[name] for name in head}, head) == []


@parametrize("part", PARTS, slow_but=[part for part in PARTS if part != "audited"])
def test_the_file_is_what_dpviz_shows_now(part: str) -> None:
    now = json.loads("[" + ",".join(written_part(part)) + "]")
    found = differences(json.loads(FILE.read_text())[part], now, part)
    assert not found, f"run `python -m tests.parity.live_vectors`: {found[:10]}"


def test_it_stays_small() -> None:
    # 56 000 bytes of them are places of labels, 20 000 statements, 30 000 audits.
    assert FILE.stat().st_size < 650_000
