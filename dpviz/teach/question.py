"""Questions of a lesson, kinds of answers such as `Choice`, and conditions on answers.

No answer is stored: every answer with the properties is right. Nothing in an answer is executed.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.analysis import Spec
from dpviz.analysis.state.json_state import scores_state
from dpviz.analysis.state.recording import read_answer_line
from dpviz.audit import AttackScores
from dpviz.audit.scores.base import Scores
from dpviz.claims.guarantee_state import REPORT_SCHEMA
from dpviz.data import read_sample
from dpviz.documents import cut_for_error, parse_json

LONGEST_ANSWER = 2_000_000  # characters of an answer: a report has pictures


def escape_stars(text: str) -> str:
    """Return a text with its asterisks, as in Epsilon*, escaped for Markdown."""
    return text.replace("*", r"\*")


@dataclass(frozen=True, kw_only=True)
class Property:
    """A condition on an answer, with a hint for answers that fail.

    `hint` says where to look, without the solution.

    Examples
    --------
    >>> from dpviz import teach
    >>> even = teach.question.Property(hint="Is it even?", holds=lambda number: number % 2 == 0)
    >>> even.holds(3)
    False
    """

    hint: str
    holds: Callable[[Any], bool]


@dataclass(frozen=True, kw_only=True, repr=False)
class Question:
    """A question of a lesson, with random numbers that depend on the student's login.

    Parameters
    ----------
    key : str, lesson and name, such as "1.edge"
    login : str, of the student whose numbers it has
    text : str, the question, in Markdown
    kind : Picture, Number, Choice or Report; how an answer is read
    properties : tuple of Property, in the order in which they are looked at; all have to hold
    because : str, why an answer is right, shown with it
    tolerance : str, how exact an answer has to be, for the instructor's guide
    points : int

    Examples
    --------
    >>> from dpviz import teach
    >>> question = teach.lesson(1, login="ada")["trials"]
    >>> question.key, question.points
    ('1.trials', 2)
    """

    key: str
    login: str
    text: str
    kind: "Picture | Number | Choice | Report"
    properties: tuple[Property, ...]
    because: str
    tolerance: str
    points: int = 1

    @property
    def label(self) -> str:
        """The key of the question and the student's login, as stored in recorded answers."""
        return f"{self.key}/{self.login}"

    def __repr__(self) -> str:
        return f"Question {self.key}: {self.text}"

    def _repr_markdown_(self) -> str:
        lines = [f"**{escape_stars(self.text)}**"]
        if isinstance(self.kind, Choice):
            lines += [f"- `{key}`: {escape_stars(text)}" for key, text in self.kind.options.items()]
        return "\n".join([lines[0], "", *lines[1:]])


@dataclass(frozen=True, kw_only=True)
class Picture:
    """An answer that is a picture, changed and recorded by the student.

    The student changes the spec `start`, shown with `scores` in `views`, and records the result.
    The properties of the answer are about the recorded :class:`dpviz.Spec`. The fields `moved_by`
    have controls beside what is dragged in the pictures.

    Examples
    --------
    >>> from dpviz import teach
    >>> teach.lesson(1, login="ada")["edge"].kind.views
    ('region',)
    """

    start: Spec
    views: tuple[str, ...]
    moved_by: tuple[str, ...] = ()
    scores: Scores | None = None

    def read(self, answer: object, question: Question) -> Spec:
        """Return the spec that the student recorded.

        Raises ValueError if the spec equals `start`, or was recorded for another question, from
        another login or with other data.
        """
        # Only a line that was recorded for this question, by this student, with these data counts.
        recording = read_answer_line(answer)
        key, _, login = recording.question.partition("/")
        if key != question.key:
            asked = f"for question {key}, not for {question.key}" if key else "without a question"
            raise ValueError(f"This answer was recorded {asked}. Record a new one.")
        if login != question.login:
            raise ValueError(
                "This answer line is from another login. Enter the line of your own picture."
            )
        if recording.scores != scores_state(self.scores):
            raise ValueError("This answer was recorded with other data. Show the explorer again.")
        if recording.spec == self.start:
            raise ValueError("This line records the initial picture. Change the picture first.")
        return recording.spec


@dataclass(frozen=True, kw_only=True)
class Number:
    """An answer that is a number, typed as 0.25, "0.25" or "25 %".

    Examples
    --------
    >>> from dpviz import teach
    >>> teach.question.Number(unit="ε").unit
    'ε'
    """

    unit: str = ""

    def read(self, answer: object, question: Question) -> float:
        """Return the answer as a finite float.

        Raises ValueError if the answer is no finite number.
        """
        if isinstance(answer, bool) or not isinstance(answer, str | int | float):
            raise ValueError(f"The answer must be a number, got {type(answer).__name__}.")
        text = str(answer).strip() if isinstance(answer, str | float) else f"{answer:d}"
        if len(text) > 100:
            raise ValueError("The answer must be a number with at most 100 characters.")
        percent = text.endswith("%")
        try:
            number = float(text.removesuffix("%"))
        except ValueError:
            comma = "," in text and text.replace(",", ".", 1).replace(".", "", 1).isdigit()
            advice = "Write 0.5, not 0,5." if comma else "Write a number such as 0.5 or 50 %."
            raise ValueError(f"The answer is a number. {advice}") from None
        if not math.isfinite(number):
            raise ValueError("The answer must be a finite number.")
        return number / 100 if percent else number


@dataclass(frozen=True, kw_only=True)
class Choice:
    """An answer that is the letter of one option.

    `options` maps each letter to the text of its option.

    Examples
    --------
    >>> from dpviz import teach
    >>> list(teach.lesson(1, login="ada")["inside"].kind.options)
    ['a', 'b', 'c', 'd']
    """

    options: Mapping[str, str]

    def read(self, answer: object, question: Question) -> str:
        """Return the chosen letter in lower case.

        Raises ValueError if no option has this letter.
        """
        chosen = answer.strip().lower() if isinstance(answer, str) else ""
        if chosen not in self.options:
            letters = ", ".join(f'"{key}"' for key in self.options)
            raise ValueError(f"The answer must be one of the letters {letters}.")
        return chosen


@dataclass(frozen=True, kw_only=True)
class Report:
    """An answer that is a report in JSON.

    `dpviz.report` writes such a report into a `.json` file.

    Examples
    --------
    >>> from dpviz import teach
    >>> isinstance(teach.lesson(6, login="ada")["report"].kind, teach.question.Report)
    True
    """

    def read(self, answer: object, question: Question) -> dict[str, Any]:
        """Return the report in the answer as a dict.

        Raises ValueError if the answer is not a JSON report of this version of dpviz.
        """
        if isinstance(answer, str) and len(answer) > LONGEST_ANSWER:
            raise ValueError(f"The report must have at most {LONGEST_ANSWER} characters.")
        if not isinstance(answer, str | dict):
            raise ValueError(f"The answer must be a report's text, got {type(answer).__name__}.")
        try:
            report = parse_json("report", answer)
        except ValueError:
            raise ValueError("This is not JSON. Write the report into a file *.json.") from None
        if not isinstance(report, dict) or not str(report.get("schema")).startswith("dpviz/audit/"):
            raise ValueError("This JSON is not a report. Write a report with dpviz.report.")
        # A report of another version may lack fields that the properties read.
        if report["schema"] != REPORT_SCHEMA:
            own = f"This report has schema {cut_for_error(report['schema'])}, not {REPORT_SCHEMA}"
            raise ValueError(f"{own}. Write the report again with this version of dpviz.")
        return report


@dataclass(frozen=True)
class QuestionMaker:
    """A maker of a student's question, whose random numbers depend on the key and the login."""

    key: str
    login: str

    def rng(self) -> np.random.Generator:
        """Return a new generator of the random numbers in this student's question."""
        return generator_for(self.login, self.key)

    def question(self, *, rules: Mapping[str, Callable[[Any], bool]], **fields: Any) -> Question:
        """Return a `Question` with `fields`; `rules` maps hints to conditions on the answer."""
        properties = tuple(Property(hint=hint, holds=holds) for hint, holds in rules.items())
        return Question(key=self.key, login=self.login, properties=properties, **fields)

    def multiple_choice(self, *, right: str, wrong: Mapping[str, str], **fields: Any) -> Question:
        """Return a multiple-choice question; `wrong` maps wrong options to their hints."""
        texts = [right, *wrong]
        order = self.rng().permutation(len(texts))
        options = {letter: texts[i] for letter, i in zip("abcdefgh", order, strict=False)}

        # Each wrong option is a property of its own, so that it has its own hint.
        def is_not(mistake: str) -> Callable[[str], bool]:
            return lambda letter: options[letter] != mistake

        return Question(
            key=self.key,
            login=self.login,
            kind=Choice(options=options),
            properties=tuple(Property(hint=hint, holds=is_not(w)) for w, hint in wrong.items()),
            tolerance="one of the letters; their order depends on the login",
            **fields,
        )


# Each student's own data, made from the login: the same at home and in the grader.

PLACEHOLDER = "your login"  # what stands in a notebook before a student writes a login
LONGEST_LOGIN = 100  # characters of a login
MODELS = ("overfitted", "regularised")
MEMBERS, NONMEMBERS = (150, 250), (800, 1200)  # fewest and most records


@dataclass(frozen=True, kw_only=True)
class StudentData:
    """Losses of a real network on records that differ from student to student.

    Parameters
    ----------
    scores : AttackScores
    epsilon, delta : float, what is claimed of the network's training

    Examples
    --------
    >>> from dpviz import teach
    >>> teach.data_for("ada").epsilon
    1.0
    """

    scores: AttackScores
    epsilon: float
    delta: float


def generator_for(login: str, purpose: str = "") -> np.random.Generator:
    """Return a random generator, seeded by a hash of the login and the purpose."""
    if not isinstance(login, str) or not 0 < len(login.strip()) <= LONGEST_LOGIN:
        raise checks.fail("login", f"a text of 1 to {LONGEST_LOGIN} characters", login)
    # A hash gives the same numbers for a login on every machine and in every process.
    digest = sha256(f"{login.strip()}\n{purpose}".encode(errors="replace")).digest()
    return np.random.default_rng(int.from_bytes(digest[:16], "big"))


def data_for(login: str) -> StudentData:
    """Return a student's own sample of the losses of a real network.

    The network is one of two. The losses are drawn without replacement.

    Parameters
    ----------
    login : str, of 1 to 100 characters; blanks around it do not matter

    Raises
    ------
    ValueError, if the login is no such text

    Examples
    --------
    >>> from dpviz import teach
    >>> mine, yours = teach.data_for("ada"), teach.data_for("charles")
    >>> mine.scores.n_members == yours.scores.n_members
    False
    """
    rng = generator_for(login, "data")
    sample = read_sample(MODELS[int(rng.integers(len(MODELS)))])
    sizes = [int(rng.integers(low, high, endpoint=True)) for low, high in (MEMBERS, NONMEMBERS)]
    member = rng.choice(sample.member, sizes[0], replace=False)
    nonmember = rng.choice(sample.nonmember, sizes[1], replace=False)
    scores = AttackScores(member=member, nonmember=nonmember).shown_as(sample.kind)
    return StudentData(scores=scores, epsilon=1.0, delta=1e-5)
