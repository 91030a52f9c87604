"""The test of a mechanism as a page: its outcome, and an audit of the classifier's scores."""

from pathlib import Path
from typing import Any

from dpviz.analysis import Analysis, Spec
from dpviz.analysis.state.scores_state import fingerprint
from dpviz.audit import AttackScores
from dpviz.pictures.saved.page import Origin, saved_page
from dpviz.pictures.saved.picture import SavedPicture
from dpviz.pictures.scenes.registry import SCENES
from dpviz.replace_file import replace_file
from dpviz.testing.learning import Classifier
from dpviz.testing.outputs import Outputs
from dpviz.testing.result import MechanismTest

PICTURES = ("tradeoff", "scores")
CONFIDENCE = 0.95  # of the band in the pictures
SHOWN = (
    "The pictures audit the scores of a classifier that learned from one half of the draws, on the "
    "other half: outputs on the second data set are members, those on the first non-members."
)


def save_page(
    path: str | Path,
    test: MechanismTest,
    pair: str,
    outputs: tuple[Outputs, Outputs],
    *,
    low_bits: bool,
) -> None:
    """Write the page to an HTML file; an existing one is replaced.

    `outputs` are all draws on the first and the second data set of the pair with this name.
    """
    half = len(outputs[0]) // 2
    classifier = Classifier(*(each.rows(slice(half)) for each in outputs), low_bits=low_bits)
    first, second = (classifier.score(each.rows(slice(half, None))) for each in outputs)
    scores = AttackScores(member=second, nonmember=first)
    chosen: dict[str, Any] = {"claim": test.claim}
    if "delta" not in test.claim.parameters:
        chosen["delta"] = test.delta
    analysis = Analysis(scores)
    result = analysis.result(Spec.of(**chosen, confidence_level=CONFIDENCE, applies_to="mechanism"))
    pictures = []
    for name in PICTURES:
        scene = SCENES[name]
        sentences = [result.sentences.get(each, "") for each in scene.sentences]
        pictures.append(SavedPicture(scene, result, name, [text for text in sentences if text]))
    origin = Origin(source=f"draws of a mechanism ({pair})", sha256=fingerprint(scores))
    page = saved_page(result, pictures, origin=origin, headline=[*str(test).splitlines(), SHOWN])
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, page.encode())
