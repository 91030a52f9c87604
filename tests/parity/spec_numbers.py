"""Write js/src/state/numbers.ts from the spec: ``python -m tests.parity.spec_numbers``."""

import math
from pathlib import Path

from dpviz.analysis.spec import NUMBER_FIELDS, SETTINGS, FieldInfo

FILE = Path(__file__).parents[2] / "js" / "src" / "state" / "numbers.ts"
HEAD = """\
/**
 * The numbers of a spec that the browser draws from.
 *
 * Made by tests/parity/spec_numbers.py from dpviz/analysis/spec.py, which explains each field.
 */

/** Numbers as JSON writes them: infinity is the text "inf". */
export type Plain = number | "inf";
"""


def source() -> str:
    """Return the file: the interface of the numbers, and the list of their names."""
    fields = [f"  {name}: {type_of(SETTINGS[name])};\n" for name in NUMBER_FIELDS]
    names = "".join(f'  "{name}",\n' for name in NUMBER_FIELDS)
    interface = f"export interface Numbers {{\n{''.join(fields)}}}\n"
    return f"{HEAD}\n{interface}\nexport const NUMBERS: (keyof Numbers)[] = [\n{names}];\n"


def type_of(setting: FieldInfo) -> str:
    """Return the TypeScript type of a number; one without a control may be missing."""
    control = setting.control
    if control is None:
        return "number | null"
    takes_infinity = math.isinf(control.most) and control.closed in ("both", "right")
    return "Plain" if takes_infinity else "number"


if __name__ == "__main__":
    FILE.write_text(source(), "utf-8")
