"""Print how many files of dpviz are entered by common calls: files with a function that is called.

python -m benchmarks.entered

Functions are counted in every thread; what only an import runs is not.
"""

import inspect
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import numpy as np

import dpviz
from dpviz import audit

PACKAGE = str(Path(dpviz.__file__).parent)
RNG = np.random.default_rng(0)
LOSSES = (RNG.gamma(2, 5, 300).tolist(), RNG.gamma(4, 5, 300).tolist())


def entered(action: Callable[[], object]) -> set[str]:
    """The files of dpviz with functions that an action calls."""
    files: set[str] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        is_function = frame.f_code.co_flags & inspect.CO_NEWLOCALS  # no module, no class
        if event == "call" and is_function:
            files.add(frame.f_code.co_filename)

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return {file for file in files if file.startswith(PACKAGE)}


def main() -> None:
    """Count, after everything was imported by a first explorer."""
    dpviz.explore(LOSSES).close()
    member, nonmember = map(np.array, LOSSES)
    shown: list[dpviz.widgets.Explorer] = []
    counts = {
        "explore() of two lists": entered(lambda: shown.append(dpviz.explore(LOSSES))),
        "a change of epsilon": entered(lambda: shown[0].set_trait("epsilon", 2.0)),
        "lower_bound of two arrays": entered(
            lambda: audit.lower_bound(
                audit.AttackScores.from_losses(member=member, nonmember=nonmember), delta=1e-5
            )
        ),
    }
    for name, files in counts.items():
        print(f"{len(files):4d} files: {name}")


if __name__ == "__main__":
    main()
