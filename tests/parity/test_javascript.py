"""The browser's side: its types, its own tests, and that what is shipped is what was written."""

import subprocess
from pathlib import Path

import pytest

from tests.slow import parametrize

ROOT = Path(__file__).parents[2]
JS, STATIC = ROOT / "js", ROOT / "dpviz" / "static"
ENTRIES = ("live", "menu", "page", "present", "saved", "tabs", "upload")
LARGEST_LIVE = 48_000  # bytes of the bundle every dashboard loads: drawings, labels, axes, headline


def run(*command: str) -> None:
    if not (JS / "node_modules").exists():
        pytest.fail("js/node_modules is missing: run `sh tests/browser/install.sh`")
    done = subprocess.run(command, cwd=JS, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr


@parametrize("script", ["check", "test"], slow_but=["test"])
def test_script(script: str) -> None:
    run("npm", "run", "--silent", script)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("static")
    run("node", "build.mjs", str(folder))
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_committed_bundles_are_those_of_the_sources(built: dict[str, bytes]) -> None:
    assert built.keys() == {f"{name}.js" for name in ENTRIES}
    committed = {path.name: path.read_bytes() for path in STATIC.glob("*.js")}
    assert committed == built, "run `npm run build` in js/"


def test_what_every_widget_loads_is_small(built: dict[str, bytes]) -> None:
    assert all(len(code) < LARGEST_LIVE for name, code in built.items() if name != "saved.js")


def test_the_lock_file_names_no_registry() -> None:
    assert '"resolved"' not in (JS / "package-lock.json").read_text()
