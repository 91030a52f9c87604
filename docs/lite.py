"""Build a site in which notebooks run without anything installed: `.ci/prove lite`.

JupyterLite's Python runs in the reader's browser. The site holds JupyterLab, dpviz, the pure Python
packages it needs, the start notebook and the lessons. Pyodide, NumPy, SciPy and pandas are loaded
from Pyodide's own address when a notebook runs; `--pyodide FOLDER`, which is handed on to
`jupyter lite build`, puts a distribution of them into the site.

    python docs/lite.py SITE [options of `jupyter lite build`]
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
NOTEBOOKS = ("00_start_here.ipynb", "lessons")
# What dpviz needs and Pyodide does not have; all of it is pure Python.
PURE = (
    *("ipywidgets", "widgetsnbextension", "jupyterlab-widgets", "comm"),
    *("bqplot", "bqscales", "traittypes", "anywidget", "psygnal"),
)
INSTALL = {
    "cell_type": "code",
    "id": "install",
    "metadata": {},
    "execution_count": None,
    "outputs": [],
    "source": "# Installs dpviz into this page's Python.\n%pip install -q dpviz",
}


def add_install(notebook: Path) -> None:
    """Let a notebook begin with the cell that installs dpviz."""
    content = json.loads(notebook.read_text("utf-8"))
    content["cells"].insert(0, INSTALL)
    notebook.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")


def main() -> None:
    """Collect wheels and notebooks, and build."""
    site, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        wheels, contents = Path(folder, "wheels"), Path(folder, "contents")
        pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
        subprocess.run((*pip, "wheel", "--no-deps", "-w", wheels, ROOT), check=True)
        [_] = wheels.glob("dpviz-*-py3-none-any.whl")  # a browser's Python installs no other
        pure = ("--only-binary=:all:", "--platform", "any", "--abi", "none", "--no-deps")
        subprocess.run((*pip, "download", *pure, "-d", wheels, *PURE), check=True)
        contents.mkdir()
        for name in NOTEBOOKS:
            from_here = ROOT / "notebooks" / name
            copy = shutil.copytree if from_here.is_dir() else shutil.copy
            copy(from_here, contents / name)
        for notebook in contents.rglob("*.ipynb"):
            add_install(notebook)
        command = [sys.executable, "-m", "jupyter", "lite", "build", "--output-dir", site]
        command += ["--contents", str(contents), "--lite-dir", folder]
        for wheel in sorted(wheels.iterdir()):
            command += ["--piplite-wheels", str(wheel)]
        subprocess.run([*command, *options], check=True)


if __name__ == "__main__":
    main()
