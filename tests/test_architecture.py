"""The house rules that a machine can check."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = sorted((ROOT / "dpviz").rglob("*.py"))


def test_imports_run_one_way() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_import_dpviz_is_light() -> None:
    heavy = [
        "ipywidgets",
        "anywidget",
        "bqplot",
        "pandas",
        "scipy.stats",
        "scipy.optimize",
        "matplotlib",
    ]
    heavy += ["scipy.integrate", "scipy.signal", "dp_accounting", "sklearn", "pyarrow", "psutil"]
    code = f"import sys, dpviz; print([m for m in {heavy} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("path", PACKAGE, ids=lambda p: str(p.relative_to(ROOT)))
def test_files_stay_small(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 300


def test_every_public_name_is_there() -> None:
    import dpviz
    import dpviz.widgets

    for module in (dpviz, dpviz.theory, dpviz.audit, dpviz.analysis, dpviz.data, dpviz.widgets):
        assert all(hasattr(module, name) for name in module.__all__)
