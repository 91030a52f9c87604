"""That live.json is what dpviz says now; the browser's side of it is in js/test."""

from tests.parity.live_vectors import FILE, written


def test_the_file_is_what_dpviz_says_now() -> None:
    assert FILE.read_text() == written(), "run `python -m tests.parity.live_vectors`"


def test_it_stays_small() -> None:
    assert FILE.stat().st_size < 300_000
