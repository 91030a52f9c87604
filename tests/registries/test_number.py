"""A new number of the spec is one field: what shows or writes numbers follows from it."""

import subprocess
import sys
from pathlib import Path

from tests.parity import spec_numbers

ROOT = Path(__file__).parents[2]
FIELD = """
    strength: float = number_field(
        2.0, "strength of something", COST | {"label": "strength s", "low": 0.5, "high": 8}
    )
"""
# Imports dpviz with one more field in the source of its spec, and uses the field everywhere.
PROGRAM = f"""
import sys
from importlib.machinery import PathFinder, SourceFileLoader

class WithField(SourceFileLoader):
    def get_code(self, name):
        source = self.get_source(name)
        place = "    pinned_point: tuple[float, float] | None ="
        assert source.count(place) == 1
        return self.source_to_code(source.replace(place, {FIELD!r}.strip("\\n") + "\\n" + place),
                                   self.path)

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        spec = PathFinder.find_spec(name, path, target)
        if name == "dpviz.analysis.spec":
            spec.loader = WithField(name, spec.origin)
        return spec

sys.meta_path.insert(0, Finder)

import dpviz
from dpviz.analysis.spec import CONTROLS, Spec
from dpviz.analysis.state.browser_state import Slider, closed_form_state
from dpviz.analysis.state.code import python_code
from dpviz.analysis.state.json_state import from_state, state_of
from dpviz.analysis.state.recording import answer_as_line, read_answer_line
from dpviz.analysis.words import typed_value_error_text
from dpviz.widgets import LivePage, RiskView
from dpviz.widgets.controls.fields import NumberControl
from tests.parity.spec_numbers import source

spec = Spec.of(strength=3.0)
assert from_state(state_of(spec))[0] == spec == read_answer_line(answer_as_line(spec)).spec
assert "strength=3.0" in python_code(spec)
assert closed_form_state(dpviz.analyze(strength=3.0))["strength"] == 3.0
assert Slider(CONTROLS["strength"]).values[-1] == 7.94
assert "  strength: number;" in source() and '  "strength",' in source()
try:
    spec.changed(strength=0.0)
except ValueError as error:
    assert str(error) == "strength must be in (0, inf), got 0.0"
    assert typed_value_error_text(error) == "Strength s must be more than 0 (you typed 0)."
view = RiskView(strength=3.0)
control = NumberControl("strength", CONTROLS["strength"], view.change)
control.update_from(view.result)
control.box.value = "4"
assert view.strength == view.result.spec.strength == 4.0
assert view.traits()["strength"].help == "strength of something, in (0, inf)"
assert view.store.live.strength == 4.0
assert LivePage(strength=3.0).strength == 3.0
explorer = dpviz.explore(strength=3.0)
assert explorer.controls["strength"].widget in explorer.more_controls.children
"""


def test_a_new_number_is_a_field() -> None:
    subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, check=True, timeout=300)


def test_the_interface_of_the_browser_is_up_to_date() -> None:
    assert spec_numbers.FILE.read_text("utf-8") == spec_numbers.source()


def test_a_number_is_named_only_where_it_is_used() -> None:
    """Traits, controls, states, options, the browser's list: none of them names it."""
    folders = ((ROOT / "dpviz", "*.py"), (ROOT / "js" / "src", "*.ts"))
    paths = [path for folder, ending in folders for path in folder.rglob(ending)]
    named = {path for path in paths if "cost_miss" in path.read_text("utf-8")}
    assert {path.relative_to(ROOT).as_posix() for path in named} == {
        "dpviz/analysis/spec.py",
        "js/src/state/numbers.ts",  # made from it
        # What it is for.
        "dpviz/theory/risk.py",
        "dpviz/analysis/analysis.py",
        "dpviz/analysis/topics/guess.py",
        "dpviz/widgets/views/guess.py",
        "js/src/state/state.ts",
    }
