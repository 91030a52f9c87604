"""The browser's side: its types, its own tests, and that what is shipped is what was written."""

import re
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.parity import embed_templates
from tests.slow import parametrize

ROOT = Path(__file__).parents[2]
JS, STATIC = ROOT / "js", ROOT / "dpviz" / "static"
ENTRIES = ("live", "menu", "page", "present", "tabs", "upload")
MODULE = "dpviz.mjs"  # of other people's pages
LARGEST_MODULE = 150_000  # bytes
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
    assert built.keys() == {MODULE, *(f"{name}.js" for name in ENTRIES)}
    committed = {path.name: path.read_bytes() for path in STATIC.glob("*.*js")}
    assert committed == built, "run `npm run build` in js/"


def test_what_every_widget_loads_is_small(built: dict[str, bytes]) -> None:
    assert all(len(code) < LARGEST_LIVE for name, code in built.items() if name != MODULE)


def test_the_module_of_other_pages_is_small_and_asks_for_nothing(built: dict[str, bytes]) -> None:
    code = built[MODULE].decode()
    assert len(built[MODULE]) < LARGEST_MODULE
    assert not re.search(
        r"\b(fetch|eval|XMLHttpRequest|WebSocket|import)\b *\(|new Function|https?://(?!www\.w3\.org/)",
        code,
    )


def test_what_the_module_draws_is_what_the_scenes_are() -> None:
    assert embed_templates.FILE.read_text("utf-8") == embed_templates.source(), (
        "run `python -m tests.parity.embed_templates`, then `npm run build` in js/"
    )


def test_the_package_for_npm_has_the_module_and_its_types(tmp_path: Path) -> None:
    command = [sys.executable, ROOT / ".ci" / "release.py", "npm", tmp_path]
    subprocess.run(command, check=True, capture_output=True, timeout=900)
    [packed] = tmp_path.glob("dpviz-*.tgz")
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path / "node_modules", filter="data")
    package = (tmp_path / "node_modules" / "package").rename(tmp_path / "node_modules" / "dpviz")
    files = {"LICENSE", "README.md", "dpviz.d.ts", "dpviz.mjs", "package.json"}
    assert {each.name for each in package.iterdir()} == files
    # As a person who installed it: node finds the module by the package's name.
    (tmp_path / "use.mjs").write_text("import { version } from 'dpviz'; console.log(version);")
    done = subprocess.run(
        ["node", tmp_path / "use.mjs"], check=True, capture_output=True, text=True
    )
    assert packed.name == f"dpviz-{done.stdout.strip()}.tgz"


def test_the_lock_file_names_no_registry() -> None:
    assert '"resolved"' not in (JS / "package-lock.json").read_text()
