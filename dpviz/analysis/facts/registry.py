"""The registry of the checklist's questions, in the order in which they are shown."""

from dpviz.analysis.facts.adjacency import ADJACENCY
from dpviz.analysis.facts.attack import ATTACK
from dpviz.analysis.facts.duplicates import DUPLICATES
from dpviz.analysis.facts.population import POPULATION
from dpviz.analysis.facts.question import Question
from dpviz.analysis.facts.record_choice import RECORD_CHOICE
from dpviz.analysis.facts.records_per_person import RECORDS_PER_PERSON
from dpviz.analysis.facts.threshold import THRESHOLD
from dpviz.analysis.facts.tuning import TUNING
from dpviz.analysis.facts.whose_epsilon import WHOSE_EPSILON

QUESTIONS: dict[str, Question] = {
    "population": POPULATION,
    "duplicates": DUPLICATES,
    "records_per_person": RECORDS_PER_PERSON,
    "record_choice": RECORD_CHOICE,
    "attack": ATTACK,
    "threshold": THRESHOLD,
    "tuning": TUNING,
    "whose_epsilon": WHOSE_EPSILON,
    "adjacency": ADJACENCY,
}
