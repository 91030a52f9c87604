"""The view that compares ways of drawing batches under the numbers of a DP-SGD claim."""

from dpviz.analysis import Result
from dpviz.analysis.topics import as_trained
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Scores
from dpviz.widgets.views.figure_view import ComputeTexts, FigureView


class AsTrainedView(FigureView):
    """The curves of a DP-SGD claim for several ways to draw its batches.

    For shuffled batches of at least one epoch, it also draws the curve of a known attack.

    Examples
    --------
    >>> from dpviz.theory import SubsampledGaussian
    >>> from dpviz.widgets import AsTrainedView
    >>> claim = SubsampledGaussian(noise_multiplier=0.5, sampling_rate=0.1, steps=10)
    >>> view = AsTrainedView(claim=claim, fpr=0.01)
    >>> view.compute()
    >>> [row.way for row in view.answer.rows if not row.is_guarantee]
    ['attack']
    """

    scene = as_trained.AS_TRAINED
    moved_by = ("fpr",)
    computation = ComputeTexts("as_trained", "Compare", "comparing ...")

    def input_data(self, scores: Scores | None) -> None:
        """Return None: the computation needs only the question, which has the claim."""

    def question(self, result: Result) -> as_trained.TrainingQuestion:
        return as_trained.TrainingQuestion(claim=result.spec.claim, fpr=result.fpr)

    def compute_answer(
        self, subject: None, question: as_trained.TrainingQuestion, progress: Progress
    ) -> as_trained.TrainingPart:
        return as_trained.ways_of_training(question, progress=progress)
