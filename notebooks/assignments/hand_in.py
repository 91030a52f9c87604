"""The graded questions of a lesson, made from `hand_in_NUMBER.json`, a file beside this program.

Students get one with texts, the numbers to choose from, options and starts. The teacher's file also
says what is right. Expressions in these files are evaluated, answers never are.
"""

import json
import math
import re
from collections.abc import Mapping
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from scipy import stats

from dpviz import Spec, audit, teach, theory
from dpviz.audit import AttackCurve, AttackScores
from dpviz.teach.lessons.one_number import epsilon_star_of
from dpviz.teach.question import Choice, Number, Picture, Property, Question, generator_for

RECEIVED = "This answer can be read, and will be graded."


@cache
def tpr_at(losses: AttackScores, fpr: float) -> float:
    """Return the measured TPR of an attack that flags low losses, at a measured FPR."""
    return 1 - AttackCurve.from_scores(losses).at_fpr(fpr).fnr


# What expressions may use, besides a question's numbers, `losses`, `start`, `right` and `answer`.
WORDS = {"exp": math.exp, "log": math.log, "beta": stats.beta, "Spec": Spec, "theory": theory}
WORDS |= {"audit": audit, "tpr_at": tpr_at, "epsilon_star_of": epsilon_star_of}


class HandIn:
    """The graded questions of a lesson to one student; `work["misses"]` is one of them."""

    def __init__(self, number: int, login: str) -> None:
        file = Path(__file__).with_name(f"hand_in_{number}.json")
        released = json.loads(file.read_text(encoding="utf-8"))
        self.number, self.login = number, login
        self.course: str = released["course"]
        self.tasks: dict[str, dict[str, Any]] = released["tasks"]

    @cached_property
    def losses(self) -> AttackScores:
        """Losses of a real network, other ones than those of the lesson."""
        return teach.data_for(self._digest("losses")).scores

    def __getitem__(self, name: str) -> Question:
        task, values = self.tasks[name], self.values(name)
        options = self._options(name)
        kind: Choice | Picture | Number = Number()
        if options:
            kind = Choice(options={it: filled(text, values) for it, text in options.items()})
        elif "start" in task:
            shown = {"views": tuple(task["views"]), "scores": values.get("losses")}
            kind = Picture(start=values["start"], **shown)
        rules, because = [(RECEIVED, "False")], task.get("because", "")
        if "right" in task:
            values["right"] = self.right(name)
            rules = [*task.get("rules", {}).items()]
        if options and "right" in task:
            said = {letter: task["options"][text] for letter, text in options.items()}
            because = said.pop(values["right"])
            rules = [(hint, f"answer != {letter!r}") for letter, hint in said.items()]
        return Question(
            key=f"{self.number}.{name}",
            login=self.login,
            text=filled(task["text"], values),
            kind=kind,
            properties=tuple(
                Property(hint=hint, holds=lambda it, code=code: eval(code, values | {"answer": it}))
                for hint, code in rules
            ),
            because=because,
            tolerance=task.get("tolerance", "one of the letters"),
            points=task["points"],
        )

    def right(self, name: str) -> Any:
        """Return the right number, letter, or value of what is moved; KeyError for students."""
        value = eval(self.tasks[name]["right"], self.values(name))
        letters = {text: letter for letter, text in self._options(name).items()}
        return letters[[*self.tasks[name]["options"]][value]] if letters else value

    def values(self, name: str) -> dict[str, Any]:
        """Return what the expressions of a question may use."""
        task = self.tasks[name]
        rng = generator_for(self.login, f"{self.course}/{self.number}.{name}")
        numbers = {key: rng.choice(some).item() for key, some in task.get("numbers", {}).items()}
        values = WORDS | numbers | ({"losses": self.losses} if "losses" in task else {})
        return values | ({"start": eval(task["start"], values)} if "start" in task else {})

    def _options(self, name: str) -> dict[str, str]:
        """Return the options by their letters, in an order of this student and this course."""
        options = self.tasks[name].get("options", ())
        order = sorted(options, key=lambda text: self._digest(f"{name}/{text}"))
        return dict(zip("abcdefgh", order, strict=False))

    def _digest(self, purpose: str) -> str:
        return sha256(f"{self.course}/{self.login.strip()}/{purpose}".encode()).hexdigest()


def filled(text: str, values: Mapping[str, Any]) -> str:
    """Return a text with its numbers filled in, "5 %" instead of "5%"."""
    return re.sub(r"(\d)%", r"\1 %", text.format_map(values))
