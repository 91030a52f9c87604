"""The registry of topics: all sentences, tables and pictures of results.

A new topic is a file in this folder with a `TOPIC`, and one line below. Pages, reports and the
command line take their texts and pictures from here.
"""

from collections.abc import Mapping

from dpviz.analysis.result import Result
from dpviz.analysis.topic import Registered, Table, Texts, Topic
from dpviz.analysis.topics import (
    answer,
    attacks,
    averaged,
    bounds,
    checklist,
    claim,
    density_ratio,
    deployments,
    designs,
    epsilon_star,
    evidence,
    experiment,
    fit,
    for_risk,
    guess,
    landscape,
    mechanism,
    noise,
    people,
    plan,
    processing,
    profile,
    region,
    retraining,
    risk,
    scores,
    slices,
    timeline,
    tradeoff,
    ways_of_stating,
    zoom_levels,
)
from dpviz.drawing.scene import Scene

# In the order of the explorer.
TOPICS: tuple[Topic, ...] = (
    answer.TOPIC,
    region.TOPIC,
    tradeoff.TOPIC,
    claim.TOPIC,
    profile.TOPIC,
    ways_of_stating.TOPIC,
    deployments.TOPIC,
    for_risk.TOPIC,
    people.TOPIC,
    scores.TOPIC,
    epsilon_star.TOPIC,
    fit.TOPIC,
    risk.TOPIC,
    guess.TOPIC,
    processing.TOPIC,
    evidence.TOPIC,
    bounds.TOPIC,
    attacks.TOPIC,
    checklist.TOPIC,
    plan.TOPIC,
    designs.TOPIC,
    slices.TOPIC,
    retraining.TOPIC,
    mechanism.TOPIC,
    density_ratio.TOPIC,
    zoom_levels.TOPIC,
    noise.TOPIC,
    experiment.TOPIC,
    landscape.TOPIC,
    averaged.TOPIC,
    timeline.TOPIC,
)

SENTENCES: dict[str, Registered[str]] = {
    name: sentence for topic in TOPICS for name, sentence in topic.sentences.items()
}
TABLES: dict[str, Registered[Table]] = {
    name: table for topic in TOPICS for name, table in topic.tables.items()
}
SCENES: dict[str, Scene] = {name: scene for topic in TOPICS for name, scene in topic.scenes.items()}


def sentences_about(result: Result) -> Mapping[str, str]:
    """Return every registered sentence that applies to a result, by name."""
    return Texts(SENTENCES, result)


def tables_about(result: Result) -> Mapping[str, Table]:
    """Return every registered table that applies to a result, by name."""
    return Texts(TABLES, result)


def names_of(picture: str) -> tuple[str, ...]:
    """Return the names of the sentences that a picture shows, in order."""
    return tuple(name for name, each in SENTENCES.items() if each.picture == picture)


def lead_of(scene: Scene) -> str:
    """Return the name of the sentence that stands unfolded below a picture; "" if none does."""
    shown = names_of(scene.lead_topic or scene.topic)
    return next((name for name in shown if SENTENCES[name].lead), "")


def details_of(scene: Scene) -> tuple[str, ...]:
    """Return the names of a picture's sentences but its lead."""
    return tuple(name for name in names_of(scene.topic) if not SENTENCES[name].lead)


def sentences_of(scene: Scene) -> tuple[str, ...]:
    """Return the names of a picture's sentences, its lead first."""
    return (*filter(None, [lead_of(scene)]), *details_of(scene))
