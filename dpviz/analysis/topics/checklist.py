"""The validity checklist in words: facts that people state, and the limits that follow."""

from dpviz.analysis.facts.answers import NOT_STATED, Fact
from dpviz.analysis.facts.questions import QUESTIONS, AnswerOption, Scope
from dpviz.analysis.result import Result
from dpviz.analysis.spec import Spec
from dpviz.analysis.topic import Table, TextWriter, Topic, has_scores
from dpviz.audit.inputs import InputChecks


def limiting_choices(spec: Spec, scope: Scope | None = None) -> dict[str, AnswerOption]:
    """Return the answers that limit an audit, by question; `scope` restricts the questions."""
    return {
        name: choice
        for name, fact in spec.facts.items()
        if fact.answer and scope in (None, QUESTIONS[name].scope)
        if (choice := QUESTIONS[name].chosen_option(fact.answer, spec)).effect
    }


def unanswered_questions_text(result: Result) -> str:
    """List the subjects of the checklist's questions that nobody answered."""
    facts = result.spec.facts
    if not facts.missing:
        return f"All {len(QUESTIONS)} questions of the checklist are answered."
    subjects = ", ".join(QUESTIONS[name].subject for name in facts.missing)
    return f"Not answered ({len(facts.missing)} of {len(QUESTIONS)} questions): {subjects}."


def facts_text(result: Result) -> str:
    """List the subjects of the answered questions, with their answers."""
    facts = result.spec.facts.items()
    texts = [f"{QUESTIONS[name].subject}: {fact_in_words(name, fact)}" for name, fact in facts]
    return f"Stated: {'; '.join(texts)}." if texts else ""


def effects_text(result: Result) -> str:
    """Say how the stated facts limit the results of the audit."""
    return " ".join(choice.effect for choice in limiting_choices(result.spec).values())


def audit_limits_phrase(spec: Spec) -> str:
    """Say in a few words how stated facts limit every result of an audit; "" without limits."""
    texts = "; ".join(choice.limit for choice in limiting_choices(spec, "audit").values())
    return f"Answers to the checklist limit this result: {texts}." if texts else ""


def limits_and_missing_facts_text(spec: Spec) -> str:
    """Say how the stated facts limit every result, and how many questions nobody answered."""
    texts = [choice.effect for choice in limiting_choices(spec, "audit").values()]
    n_missing = len(QUESTIONS) - len(spec.facts)
    if n_missing:
        texts.append(f"Not answered: {n_missing} of {len(QUESTIONS)} questions of the checklist.")
    return " ".join(texts)


def fact_in_words(name: str, fact: Fact | None) -> str:
    """Return a stated answer as text: its label and its note, or "not stated"."""
    if fact is None:
        return NOT_STATED
    label = QUESTIONS[name].choices[fact.answer].label if fact.answer else ""
    return f"{label} ({fact.note})" if label and fact.note else label or fact.note


def checks_text(checks: InputChecks) -> str:
    """Say what automatic checks noticed about the scores; such checks may overlook faults."""
    texts = [finding.sentence for finding in checks.notable]
    if not texts:
        return "Automatic checks found no fault. This does not show that the assumptions hold."
    return f"Automatic checks found possible faults. {' '.join(texts)}"


CAPTION = "Facts stated by the auditor, on which the meaning of the results depends."
HEAD = ("question", "answer", "consequence")


def table(result: Result) -> Table:
    """Return the table of questions, with their answers and the effects of the answers."""
    facts, limits = result.spec.facts, limiting_choices(result.spec)
    effects = {name: limit.effect for name, limit in limits.items()}
    rows = [
        (question.text, fact_in_words(name, facts.get(name)), effects.get(name, ""))
        for name, question in QUESTIONS.items()
    ]
    return Table(CAPTION, HEAD, rows)


TOPIC = Topic(
    sentences={
        "checklist": TextWriter(unanswered_questions_text, "checklist", when=has_scores),
        "checklist_stated": TextWriter(facts_text, "checklist", when=has_scores, user_text=True),
        "checklist_effects": TextWriter(effects_text, "checklist", when=has_scores, user_text=True),
        "inputs": TextWriter(checks_text, "checklist", "answers.inputs", user_text=True),
        "protocol": TextWriter(
            lambda it: it.sentence, "checklist", "answers.protocol", user_text=True
        ),
        "gate": TextWriter(lambda it: it.sentence, "checklist", "answers.gate", about_claim=True),
    },
    tables={"checklist": TextWriter(table, when=has_scores, user_text=True)},
)
