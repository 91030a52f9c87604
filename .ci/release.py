"""What a release needs: `make dist` builds and checks it, the workflows compare its versions.

    python .ci/release.py dist           # build the files, check them, install and use them
    python .ci/release.py tag v0.1.0     # fail unless a tag, the files and the changelog agree
    python .ci/release.py use            # use the installed dpviz as a new user would
    python .ci/release.py nbconvert      # convert a notebook with an explorer into a page
    python .ci/release.py npm build      # write the npm package of dpviz.mjs into a folder

`use` and `nbconvert` run in the environment where dpviz is installed.
"""

import filecmp
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import venv
import zipfile
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
LARGEST = 4_000_000  # bytes of either file
IN_WHEEL = (
    "dpviz/py.typed",
    "dpviz/audit/bounds/coverage.json",
    "dpviz/data/samples/overfitted.csv",
    "dpviz/data/samples/landscape.parquet",
    "dpviz/reports/audit.schema.json",
    "dpviz/reports/templates/report.html.jinja",
    "dpviz/static/live.js",
    "dpviz/static/dpviz.mjs",
    "dpviz/static/dpviz.d.ts",
)
IN_NPM = ("dpviz/static/dpviz.mjs", "dpviz/static/dpviz.d.ts", "LICENSE")
REFERENCE = "docs/reference/embed.md"  # of the module
IN_SOURCES = ("LICENSE", "README.md", "CITATION.cff", "docs/conf.py", "js/package.json", "tests")
UNWANTED = ("node_modules", "__pycache__", "docs/_build", ".venv")
# Where a version is written, besides pyproject.toml.
VERSIONS = {
    "dpviz/__init__.py": r'__version__ = "(.*)"',
    "CITATION.cff": r"(?m)^version: (.*)$",
    "CHANGELOG.md": r"(?m)^## (\S+(?: \(unreleased\))?)",
}
NOTEBOOK = Path("explorer.ipynb")
CELL = "import dpviz\ndpviz.explore(dpviz.read_sample('overfitted'), epsilon=1.0)"
ANSWER = "The losses contradict the claim"


def dist() -> None:
    """Build the wheel and the source distribution twice, check both, install and use the wheel.

    Both builds must be the same bytes, hold what they should and nothing else, and have metadata
    that the package index takes. The wheel is used in an empty environment outside this folder.
    """
    shutil.rmtree(DIST, ignore_errors=True)
    day = subprocess.check_output(["git", "log", "-1", "--format=%ct"], cwd=ROOT, text=True).strip()
    environment = {**os.environ, "SOURCE_DATE_EPOCH": day}
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder, "again")
        for place in (DIST, again):
            run(sys.executable, "-m", "build", "--outdir", place, ROOT, env=environment)
        files = sorted(DIST.iterdir())
        npm(folder)
        for file in files:
            same = filecmp.cmp(file, again / file.name, shallow=False)
            check(same, f"{file.name} of a second build must be the same bytes")
        wheel, sources = (next(DIST.glob(ending)) for ending in ("*.whl", "*.tar.gz"))
        check_contents(wheel, sources)
        run(sys.executable, "-m", "twine", "check", "--strict", *files)
        run(sys.executable, "-m", "check_wheel_contents", wheel)
        empty = Path(folder, "empty")
        venv.create(empty, with_pip=True)
        python = empty / "bin" / "python"
        run(python, "-m", "pip", "install", "--quiet", wheel)
        run(python, "-I", __file__, "use", cwd=folder)
        run(python, "-m", "pip", "install", "--quiet", "nbconvert", "ipykernel")
        run(python, "-I", __file__, "nbconvert", cwd=folder)


def run(*command: str | Path, **options: object) -> None:
    """Run a command; end with its message if it fails."""
    sys.stdout.write(f"$ {' '.join(map(str, command))}\n")
    sys.stdout.flush()
    subprocess.run(command, check=True, **options)  # type: ignore[call-overload]


def check(holds: bool, message: str) -> None:
    """End with a message unless something holds."""
    if not holds:
        raise SystemExit(f"make dist: {message}")


def check_contents(wheel: Path, sources: Path) -> None:
    """Look into both files."""
    with zipfile.ZipFile(wheel) as opened:
        packed = opened.namelist()
        about_data = opened.read("dpviz/data/samples/README.md").decode()
    tops = {name.split("/")[0] for name in packed}
    check(len(tops) == 2, f"the wheel must hold one package and its metadata, got {sorted(tops)}")
    missing = [name for name in IN_WHEEL if name not in packed]
    check(not missing, f"the wheel lacks {missing}")
    check("CC BY 4.0" in about_data, "the samples' README.md must name the licence of their data")
    with tarfile.open(sources) as archive:
        listed = [name.split("/", 1)[-1] for name in archive.getnames()]
    missing = [n for n in IN_SOURCES if not any(f"{name}/".startswith(f"{n}/") for name in listed)]
    check(not missing, f"the source distribution lacks {missing}")
    unwanted = [name for name in packed + listed if any(part in name for part in UNWANTED)]
    check(not unwanted, f"unwanted: {unwanted[:5]}")
    for file in (wheel, sources):
        size = file.stat().st_size
        check(size <= LARGEST, f"{file.name} must have at most {LARGEST} bytes, got {size}")
        sys.stdout.write(f"{file.name}: {size / 1e6:.2f} MB\n")


def npm(folder: str | Path) -> None:
    """Pack the module, its types and its reference for npm, with the numbers of pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    about = {
        **{name: project[name] for name in ("name", "version", "description", "license")},
        **{"type": "module", "types": "./dpviz.d.ts"},
        "exports": {"types": "./dpviz.d.ts", "default": "./dpviz.mjs"},
    }
    with tempfile.TemporaryDirectory() as place:
        for source in IN_NPM:
            shutil.copy(ROOT / source, place)
        reference = re.sub(r"\{func\}(?=`)", "", (ROOT / REFERENCE).read_text("utf-8"))
        Path(place, "README.md").write_text(reference, encoding="utf-8")
        Path(place, "package.json").write_text(json.dumps(about, indent=2), encoding="utf-8")
        run("npm", "pack", "--silent", "--pack-destination", Path(folder).resolve(), cwd=place)


def tag(name: str) -> None:
    """Compare a tag with the versions in the files and with the changelog."""
    wanted = name.removeprefix("v")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    versions = {"pyproject.toml": project["version"]}
    for file, pattern in VERSIONS.items():
        match = re.search(pattern, (ROOT / file).read_text("utf-8"))
        versions[file] = match[1] if match else "none"
    if wrong := {file: version for file, version in versions.items() if version != wanted}:
        raise SystemExit(f"the tag says {wanted}, but {wrong}")


def use() -> None:
    """Try samples, an explorer, a saved page, a report and the command, in an empty folder."""
    import dpviz

    assert dpviz.__version__ == version("dpviz")
    assert Path(sys.prefix) in Path(dpviz.__file__).parents, "another dpviz was imported"
    for name in ("overfitted", "regularised", "gamma", "null"):
        assert dpviz.read_sample(name).n_members > 0
    explorer = dpviz.explore(dpviz.read_sample("overfitted"), epsilon=1.0, delta=1e-5)
    explorer.save_html("explorer.html")
    assert ANSWER in Path("explorer.html").read_text("utf-8")
    dpviz.report(explorer, "audit.html")
    Path("losses.csv").write_text("loss,member\n0.1,1\n0.9,0\n", encoding="utf-8")
    command = [Path(sys.executable).with_name("dpviz"), "audit", "losses.csv", "--claim", "1,1e-5"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr  # as `dpviz audit --help` says of "cannot decide"
    assert "cannot decide" in done.stdout, done.stdout
    sys.stdout.write("the installed dpviz works\n")


def nbconvert() -> None:
    """Convert a notebook, with its cell executed, into a page that has the answer in it."""
    import nbformat

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    nbformat.write(notebook, NOTEBOOK)
    run(sys.executable, "-m", "nbconvert", "--execute", "--to", "html", NOTEBOOK)
    assert ANSWER in NOTEBOOK.with_suffix(".html").read_text("utf-8")


if __name__ == "__main__":
    part, *arguments = sys.argv[1:]
    {"dist": dist, "tag": tag, "use": use, "nbconvert": nbconvert, "npm": npm}[part](*arguments)
