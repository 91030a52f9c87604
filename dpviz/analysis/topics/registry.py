"""The registry of all sentences, tables and pictures, for pages, reports and the command line.

A new topic needs a file in this folder that defines `TOPIC`, and its name below.
"""

from importlib import import_module

from dpviz.analysis.topic import Table, TextWriter, Topic
from dpviz.drawing.scene import Scene

# In the order of the explorer.
NAMES = (
    *("answer", "readout", "region", "tradeoff", "claim", "profile", "ways_of_stating"),
    *("deployments", "for_risk", "as_trained", "people", "scores", "epsilon_star", "fit", "risk"),
    *("guess", "processing", "evidence", "at_most", "bounds", "attacks", "checklist", "plan"),
    *("showable", "designs", "slices", "retraining", "mechanism", "density_ratio", "zoom_levels"),
    *("noise", "experiment", "landscape", "averaged", "timeline"),
)
TOPICS: tuple[Topic, ...] = tuple(
    import_module(f"dpviz.analysis.topics.{name}").TOPIC for name in NAMES
)

SENTENCES: dict[str, TextWriter[str]] = {
    name: sentence for topic in TOPICS for name, sentence in topic.sentences.items()
}
TABLES: dict[str, TextWriter[Table]] = {
    name: table for topic in TOPICS for name, table in topic.tables.items()
}
SCENES: dict[str, Scene] = {name: scene for topic in TOPICS for name, scene in topic.scenes.items()}


def sentence_names(picture: str) -> tuple[str, ...]:
    """Return the names of the sentences that belong to a picture, in order of registration."""
    return tuple(name for name, each in SENTENCES.items() if each.picture == picture)


def lead_name(scene: Scene) -> str:
    """Return the name of a picture's lead (the always visible sentence); "" without a lead."""
    shown = sentence_names(scene.lead_topic or scene.topic)
    return next((name for name in shown if SENTENCES[name].lead), "")


def detail_names(scene: Scene) -> tuple[str, ...]:
    """Return the names of a picture's sentences other than its lead."""
    return tuple(name for name in sentence_names(scene.topic) if not SENTENCES[name].lead)


def text_names(scene: Scene) -> tuple[str, ...]:
    """Return the names of a picture's sentences, beginning with its lead."""
    return (*filter(None, [lead_name(scene)]), *detail_names(scene))
