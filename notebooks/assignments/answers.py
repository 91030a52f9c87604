"""Right and wrong answers to the lessons, as Python that runs after the key of the same answer."""

from notebooks.assignments.keys import KEYS

Answers = list[tuple[str, str]]  # the name of an answer, and what sets it
AGAIN = 'if "explorer" in globals():\n    explorer.reset()  # as the student found it'

WRONG_LETTER = """\
{name} = next(
    letter for letter in lesson["{name}"].kind.options
    if not teach.check(letter, lesson["{name}"]).is_right
)"""


def instead(number: int, name: str, code: str) -> str:
    """Return the code of another answer than the key's; it may use what the key computed."""
    return f"{KEYS[number][name]}\n{AGAIN}\n{code}"


def letters(*names: str) -> Answers:
    """Return a wrong letter for each of these questions."""
    return [(name, WRONG_LETTER.format(name=name)) for name in names]


def point(fpr: str, fnr: str) -> str:
    """Return a point of lesson 1; `low` and `claim` are those of its key."""
    return f"explorer.fpr, explorer.fnr = {fpr}, float({fnr})\nedge = explorer.answer()"


NEEDED = "theory.delta_at(fpr=point.fpr, fnr=point.fnr, epsilon=0.0)"
STREETS = "high / (people // streets) / scale"
PRIOR = "1 / (1 + float(odds))"
WRONG: dict[int, Answers] = {
    1: [
        ("edge", point("low + 0.05", "claim.beta(low + 0.05) + 0.05")),
        ("edge", point("low + 0.05", "claim.beta(low + 0.05) - 0.05")),
        ("edge", point("low + 0.12", "claim.beta(low + 0.12)")),
        ("edge", "explorer.epsilon = 1.0\nedge = explorer.answer()"),
        ("edge", "edge = edge.replace('fnr=0.', 'fnr=0.0')"),  # edited by hand
        ("trials", "trials = 10"),
        ("trials", "trials = 1000"),
        ("trials", "trials = 99"),
        *letters("names", "inside"),
    ],
    2: [
        ("touch", f"explorer.delta = {NEEDED} + 0.01\ntouch = explorer.answer()"),
        ("touch", f"explorer.delta = {NEEDED} - 0.01\ntouch = explorer.answer()"),
        ("touch", f"explorer.delta, explorer.fpr = {NEEDED}, 0.5\ntouch = explorer.answer()"),
        ("touch", f"explorer.epsilon, explorer.delta = 1, {NEEDED}\ntouch = explorer.answer()"),
        ("touch", f"touch = {NEEDED}"),
        ("touch", "touch = teach.explore(teach.lesson(1, login=login)['edge']).answer()"),
        *letters("zone", "both", "record"),
    ],
    3: [
        ("together", "together = 5.102 if abs(together - 5.102) > 0.1 else 3"),
        ("together", "together *= 1.02"),
        ("together", "together *= 0.98"),
        ("noise", "explorer.epsilon = 5.0\nnoise = explorer.answer()"),
        ("noise", "explorer.epsilon = 0.01\nnoise = explorer.answer()"),
        ("noise", "explorer.claim = theory.PureDP(epsilon=1.0)\nnoise = explorer.answer()"),
        ("noise", "noise = noise.replace('answer-1?', 'answer-2?')"),  # another version's
        ("count", "count = 0"),
        ("count", "count -= 1"),
        ("count", "count += 1"),
        *letters("finest", "clamp"),
    ],
    4: [
        ("flag", "flag = 0.9"),
        ("flag", "flag += 0.01"),
        ("flag", "flag -= 0.01"),
        ("flag", "flag = '150 %'"),
        ("half", f"explorer.prior = {PRIOR} + 0.02\nhalf = explorer.answer()"),
        ("half", f"explorer.prior = {PRIOR} - 0.02\nhalf = explorer.answer()"),
        ("half", f"explorer.fpr, explorer.prior = 0.2, {PRIOR}\nhalf = explorer.answer()"),
        ("half", f"explorer.delta, explorer.prior = 0.1, {PRIOR}\nhalf = explorer.answer()"),
        ("half", "half = '__import__(\"os\").abort()'"),  # would end the grader
        ("pays", "pays += 0.02"),
        ("pays", "pays -= 0.02"),
        *letters("limit"),
    ],
    5: [
        ("larger", "explorer.clip = 0.01\nlarger = explorer.answer()"),
        ("larger", "explorer.fpr = 0.2\nlarger = explorer.answer()"),
        ("larger", "explorer.delta = 1e-9\nlarger = explorer.answer()"),
        ("larger", "larger = 28.4"),
        ("larger", "larger = ' '"),
        ("cap", "cap += 0.03"),
        ("cap", "cap -= 0.03"),
        ("cap", "cap = 1"),
        *letters("more", "chance", "kind"),
    ],
    6: [
        ("threshold", "explorer.fpr = 0.5\nthreshold = explorer.answer()"),
        ("threshold", "explorer.fpr = 0.001\nthreshold = explorer.answer()"),
        ("threshold", "explorer.epsilon = 2.0\nthreshold = explorer.answer()"),
        ("bound", "bound = dpviz.audit.epsilon_star(data.scores, delta=1e-5).value"),
        (
            "bound",
            "bound = 0.06 + max(\n"
            "    dpviz.audit.lower_bound(data.scores, delta=1e-5, method=method).low\n"
            "    for method in ('rank_exact', 'e_process')\n"
            ")",
        ),
        ("bound", "bound = -0.01"),
        ("report", 'report = report.replace("1e-05", "0.05")'),
        ("report", 'report = \'{"schema": "dpviz/audit/1"}\''),
        ("report", "import json\nreport = json.dumps(json.loads(report) | {'epsilon': 3})"),
        ("report", "import json\nreport = json.loads(report) | {'contradicted': None}"),
        *letters("answer", "best", "whose"),
    ],
    7: [
        ("votes", "explorer.epsilon = scale / 2\nvotes = explorer.answer()"),
        ("votes", "explorer.epsilon = 2 / scale + 0.1\nvotes = explorer.answer()"),
        ("votes", "explorer.epsilon = 2 / scale - 0.1\nvotes = explorer.answer()"),
        (
            "votes",
            "explorer.epsilon, explorer.delta = 2 / scale, 0.001\nvotes = explorer.answer()",
        ),
        ("votes", "explorer.epsilon, explorer.fpr = 2 / scale, 0.3\nvotes = explorer.answer()"),
        ("runs", "runs = rare"),
        ("runs", "runs *= 1.02"),
        ("runs", "runs *= 0.98"),
        *letters("which", "why", "means"),
    ],
}
RIGHT: dict[int, Answers] = {
    2: [
        ("touch", f"explorer.delta = {NEEDED} + {off}\ntouch = explorer.answer()")
        for off in (-0.004, -0.002, 0, 0.002, 0.004)
    ],
    3: [
        *(("together", f"together *= {factor}") for factor in (0.995, 1.005)),
        ("together", "together = f'{together:.4g}'"),
        (
            "noise",
            f"explorer.epsilon = {STREETS} - 0.01\nnoise = explorer.answer()",
        ),
        (
            "noise",
            f"explorer.epsilon = {STREETS} + 0.01\nnoise = explorer.answer()",
        ),
        ("count", "count = str(count)"),
    ],
    4: [
        ("flag", "flag = f'{flag:.1%}'"),
        ("flag", "flag = round(flag, 2)"),
        ("half", f"explorer.prior = {PRIOR} * 1.01\nhalf = explorer.answer()"),
        ("half", f"explorer.prior = {PRIOR} * 0.99\nhalf = explorer.answer()"),
        ("pays", "pays = f'{100 * pays + 0.4:.1f} %'"),
    ],
    5: [
        *(
            (
                "larger",
                f"explorer.method, explorer.clip = 'normal', {clip}\nlarger = explorer.answer()",
            )
            for clip in ("None", "'paper'")
        ),
        ("larger", "explorer.clip = None\nlarger = explorer.answer()"),
        ("cap", "cap = round(cap, 2)"),
        ("cap", "cap = f'{cap + 0.01:.3f}'"),
    ],
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
        (
            "bound",
            "bound = dpviz.audit.lower_bound(data.scores, delta=1e-5, applies_to='instance').low",
        ),
    ],
    7: [
        *(
            ("votes", f"explorer.epsilon = 2 / scale + {off}\nvotes = explorer.answer()")
            for off in (-0.04, -0.02, 0.02, 0.04)
        ),
        ("runs", "runs = str(runs)"),
        ("runs", "runs = 3 * rare"),
    ],
}
