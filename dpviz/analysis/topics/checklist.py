"""Sentences about the validity checklist: what is stated, what is not, what an answer changes."""

from dpviz.analysis.facts.facts import NOT_STATED, Fact
from dpviz.analysis.facts.questions import QUESTIONS, Choice, Scope
from dpviz.analysis.result import Result
from dpviz.analysis.spec import Spec
from dpviz.analysis.topic import Registered, Table, Topic, of_answer, with_scores
from dpviz.audit.inputs import InputChecks

CAPTION = "What decides whether these numbers mean anything, as stated by the auditor."
HEAD = ("question", "answer", "what follows")


def summary(result: Result) -> str:
    """The subjects of the questions that nobody answered."""
    facts = result.spec.facts
    if not facts.missing:
        return f"All {len(QUESTIONS)} questions of the checklist are answered."
    subjects = ", ".join(QUESTIONS[name].subject for name in facts.missing)
    return f"Not stated ({len(facts.missing)} of {len(QUESTIONS)}): {subjects}."


def stated(result: Result) -> str:
    """The answers that were given."""
    facts = result.spec.facts.items()
    each = [f"{QUESTIONS[name].subject}: {answered(name, fact)}" for name, fact in facts]
    return f"Stated: {'; '.join(each)}." if each else ""


def effects(result: Result) -> str:
    """What the stated answers change, wherever they matter."""
    return " ".join(choice.effect for choice in limiting(result.spec).values())


def limiting(spec: Spec, scope: Scope | None = None) -> dict[str, Choice]:
    """The stated answers that limit what an audit shows, by question; of one scope only, or all."""
    stated = {
        name: QUESTIONS[name].choice(fact.answer, spec)
        for name, fact in spec.facts.items()
        if fact.answer and scope in (None, QUESTIONS[name].scope)
    }
    return {name: choice for name, choice in stated.items() if choice.effect}


def limits(spec: Spec) -> str:
    """The facts that limit what every result shows, in a few words; empty if there are none."""
    found = "; ".join(choice.limit for choice in limiting(spec, "audit").values())
    return f"Limited by what the checklist states: {found}." if found else ""


def answer_limits(spec: Spec) -> str:
    """What these facts change, and how many questions nobody answered."""
    said = [choice.effect for choice in limiting(spec, "audit").values()]
    n_missing = len(spec.facts.missing)
    if n_missing:
        said.append(f"Not stated: {n_missing} of the {len(QUESTIONS)} facts of the checklist.")
    return " ".join(said)


def answered(name: str, fact: Fact | None) -> str:
    """The answer to a question in words: its label, its note, or that it is not stated."""
    if fact is None:
        return NOT_STATED
    label = QUESTIONS[name].choices[fact.answer].label if fact.answer else ""
    return f"{label} ({fact.note})" if label and fact.note else label or fact.note


def indications(found: InputChecks) -> str:
    """What a machine noticed about the inputs; it shows nothing about what it did not notice."""
    said = [finding.sentence for finding in found.notable]
    if not said:
        return "Automatic checks noticed nothing; that does not show that the data are as assumed."
    return f"Noticed automatically (indications, to be looked at): {' '.join(said)}"


def table(result: Result) -> list[tuple[str, ...]]:
    """One row for each question, under `HEAD`."""
    spec = result.spec
    found = limiting(spec)
    return [
        (
            question.text,
            answered(name, spec.facts.get(name)),
            found[name].effect if name in found else "",
        )
        for name, question in QUESTIONS.items()
    ]


TOPIC = Topic(
    sentences={
        "checklist": Registered(summary, "checklist", when=with_scores),
        "checklist_stated": Registered(stated, "checklist", when=with_scores, quotes=True),
        "checklist_effects": Registered(effects, "checklist", when=with_scores, quotes=True),
        "inputs": of_answer("inputs", lambda p, _: indications(p), "checklist", quotes=True),
        "protocol": of_answer("protocol", lambda p, _: p.sentence, "checklist", quotes=True),
    },
    tables={
        "checklist": Registered(
            lambda r: Table(CAPTION, HEAD, table(r)),
            when=with_scores,
            quotes=True,
        ),
    },
)
