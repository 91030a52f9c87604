"""Right and wrong answers to the lessons, as Python that runs where the key does."""

WRONG_LETTER = """\
{name} = next(
    letter for letter in lesson["{name}"].kind.options
    if not teach.check(letter, lesson["{name}"]).is_right
)"""


def letters(*names: str) -> list[tuple[str, str]]:
    return [(name, WRONG_LETTER.format(name=name)) for name in names]


def point(fpr: str, fnr: str) -> str:
    """A point of lesson 1; `low` and `claim` are those of its key."""
    return f"explorer.fpr, explorer.fnr = {fpr}, float({fnr})\nedge = explorer.answer()"


# By lesson: the name of an answer, and what sets it.
WRONG = {
    1: [
        ("edge", point("low + 0.05", "claim.beta(low + 0.05) + 0.05")),
        ("edge", point("low + 0.05", "claim.beta(low + 0.05) - 0.05")),
        ("edge", point("low + 0.12", "claim.beta(low + 0.12)")),
        ("edge", "explorer.epsilon = 1.0\nedge = explorer.answer()"),
        ("trials", "trials = 10"),
        ("trials", "trials = 1000"),
        ("trials", "trials = 99"),
        *letters("names", "inside"),
    ],
    6: [
        ("threshold", "explorer.fpr = 0.5\nthreshold = explorer.answer()"),
        ("threshold", "explorer.fpr = 0.001\nthreshold = explorer.answer()"),
        ("threshold", "explorer.epsilon = 2.0\nthreshold = explorer.answer()"),
        ("bound", "bound = dpviz.audit.epsilon_star(data.scores, delta=1e-5).value"),
        ("bound", "bound = dpviz.audit.lower_bound(data.scores, delta=1e-5).low + 0.06"),
        ("bound", "bound = -0.01"),
        ("report", 'report = report.replace("1e-05", "0.05")'),
        ("report", 'report = \'{"schema": "dpviz/audit/2"}\''),
        ("report", "import json\nreport = json.dumps(json.loads(report) | {'epsilon': 3})"),
        ("report", "import json\nreport = json.loads(report) | {'contradicted': None}"),
        *letters("answer", "best", "whose"),
    ],
}
RIGHT = {
    1: [
        ("edge", point(f"low + {step}", f"claim.beta(low + {step}) + {off}"))
        for step, off in ((0, 0), (0.025, 0.005), (0.05, -0.005), (0.075, 0.01), (0.1, 0))
    ],
    6: [
        *(
            ("threshold", f"explorer.fpr = {fpr}\nthreshold = explorer.answer()")
            for fpr in (0.025, 0.04, 0.06, 0.075)
        ),
        ("bound", "bound = f'{max(0, dpviz.audit.lower_bound(data.scores, delta=1e-5).low):.1f}'"),
    ],
}
