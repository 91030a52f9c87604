"""What people state about an audit: it comes back as it was given, and goes where the spec goes."""

import datetime
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

import dpviz
from dpviz import Spec
from dpviz.analysis.facts.about import About
from dpviz.documents import read_toml_or_yaml
from dpviz.reports.write import report_as
from dpviz.widgets import Explorer

STATED = {"subject": {"model_name": "net “7” <b>"}, "auditor": {"date": "2026-11-20"}}
TOML = """
[subject]
model_name = "net “7” <b>"
[auditor]
date = 2026-11-20
"""
YAML = """
subject: {model_name: "net “7” <b>"}
auditor:
  date: 2026-11-20
"""


def table(folder: Path, text: str, name: str) -> Any:
    path = folder / name
    path.write_text(text, "utf-8")
    return read_toml_or_yaml("about", path)


def test_equal_statements_are_one_value_in_whatever_order(tmp_path: Path) -> None:
    given = [
        About(STATED),
        About(dict(reversed(STATED.items())) | {"attack": {}}),
        About(table(tmp_path, TOML, "about.toml")),
        About(table(tmp_path, YAML, "about.yaml")),
        About(STATED | {"auditor": {"date": datetime.date(2026, 11, 20)}}),
    ]
    assert len(set(given)) == 1
    assert given[1].as_dict() == STATED
    assert Spec(about=STATED) == Spec(about=given[0])
    assert not About()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), "about.params.prior_reason must be text of at most 2000 characters or a"),
        ("a\ud800", "about.params.prior_reason must be text"),
        (10**400, "about.params.prior_reason must be text"),
        (["x"], r"about.params.prior_reason must be text .*, got \['x'\]"),
    ],
)
def test_other_values_are_refused_with_the_name(value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Spec(about={"params": {"prior_reason": value}})


@pytest.mark.slow
def test_it_travels_with_state_code_and_report() -> None:
    explorer = dpviz.explore(([0.1, 0.2, 0.3], [0.2, 0.8, 0.9]), about=STATED)
    scores = explorer.store.scores
    again = Explorer.from_state(json.dumps(explorer.state()), scores)
    assert again.about == explorer.about == About(STATED)
    assert f"about={STATED!r}" in explorer.code()
    page = report_as(".html", again).decode()
    assert "Privacy audit · net “7” &lt;b&gt; · " in page
    document = json.loads(report_as(".json", again))
    assert document["auditor"]["date"]["value"] == "2026-11-20"
    assert document["spec"]["about"] == STATED
    # What the report is given takes the place of what the result states, in its state too.
    other = json.loads(report_as(".json", again, about={"auditor": {"name": "B"}}))
    assert other["subject"]["model_name"]["value"] is None
    assert other["spec"]["about"] == {"auditor": {"name": "B"}}
    explorer.close()
    again.close()


def test_500_damaged_files_are_read_or_refused_and_none_crashes(tmp_path: Path) -> None:
    rng, errors = random.Random(26), []
    for i in range(500):
        text, name = ((TOML, "about.toml"), (YAML, "about.yaml"))[i % 2]
        at = rng.randrange(len(text))
        signs = "".join(rng.choices("\"'={}[]:,\n\t#&*!|>-0aε\x00\x85", k=rng.randrange(1, 4)))
        damaged = (text[:at], text[:at] + signs + text[at + rng.randrange(3) :])[i % 3 > 0]
        try:
            About(table(tmp_path, damaged, name))
        except ValueError as error:
            errors.append(str(error))
    assert 200 < len(errors) < 500
    assert [e for e in errors if not re.match(r"((group|field) in )?about[. ]", e)] == []
    with pytest.raises(ValueError, match=r"about must be (TOML|nested less deeply)"):
        table(tmp_path, "x = " + "[" * 9000, "about.toml")
