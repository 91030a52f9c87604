"""Build what is published, twice, and check it: `make dist`.

The wheel and the source distribution of both builds must be the same bytes, hold what they should
and nothing else, and have metadata that the package index takes. The wheel is then installed into
an empty environment outside this folder, where smoke.py uses it as a new user would.
"""

import filecmp
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
DIST = ROOT / "dist"
LARGEST = 4_000_000  # bytes of either file
IN_WHEEL = (
    "dpviz/py.typed",
    "dpviz/audit/bounds/coverage.json",
    "dpviz/data/samples/overfitted.csv",
    "dpviz/data/samples/landscape.parquet",
    "dpviz/reports/audit-2.schema.json",
    "dpviz/reports/templates/report.html.jinja",
    "dpviz/static/live.js",
)
IN_SOURCES = ("LICENSE", "README.md", "CITATION.cff", "docs/conf.py", "js/package.json", "tests")
UNWANTED = ("node_modules", "__pycache__", "docs/_build", ".venv")


def run(*command: str | Path, **options: object) -> None:
    """Run a command; end with its message if it fails."""
    sys.stdout.write(f"$ {' '.join(map(str, command))}\n")
    sys.stdout.flush()
    subprocess.run(command, check=True, **options)  # type: ignore[call-overload]


def check(holds: bool, said: str) -> None:
    """End with a message unless something holds."""
    if not holds:
        raise SystemExit(f"make dist: {said}")


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
    missing = [n for n in IN_SOURCES if not any(f"{each}/".startswith(f"{n}/") for each in listed)]
    check(not missing, f"the source distribution lacks {missing}")
    unwanted = [name for name in packed + listed if any(part in name for part in UNWANTED)]
    check(not unwanted, f"unwanted: {unwanted[:5]}")
    for file in (wheel, sources):
        size = file.stat().st_size
        check(size <= LARGEST, f"{file.name} must have at most {LARGEST} bytes, got {size}")
        sys.stdout.write(f"{file.name}: {size / 1e6:.2f} MB\n")


def main() -> None:
    """Build, compare, check, install and use."""
    shutil.rmtree(DIST, ignore_errors=True)
    day = subprocess.check_output(["git", "log", "-1", "--format=%ct"], cwd=ROOT, text=True).strip()
    environment = {**os.environ, "SOURCE_DATE_EPOCH": day}
    with tempfile.TemporaryDirectory() as folder:
        again = Path(folder, "again")
        for place in (DIST, again):
            run(sys.executable, "-m", "build", "--outdir", place, ROOT, env=environment)
        files = sorted(DIST.iterdir())
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
        run(python, "-I", HERE / "smoke.py", cwd=folder)
        run(python, "-m", "pip", "install", "--quiet", "nbconvert", "ipykernel")
        run(python, "-I", HERE / "smoke.py", "nbconvert", cwd=folder)


if __name__ == "__main__":
    main()
