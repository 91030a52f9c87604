"""The view of the answer: whether the scores contradict the claim."""

from html import escape

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.topics import answer
from dpviz.analysis.words import TERMS
from dpviz.pictures.page import LIMITS_LINE
from dpviz.theory.tradeoff import Adjacency
from dpviz.widgets.base.html import Html, button, columns, row, stack
from dpviz.widgets.base.job import AuditJob
from dpviz.widgets.base.view import View

TERMS_LINE = "Terms"
ONE_AT_A_TIME = 'name="dpviz-answer"'  # opening one closes the other
LIVE_TEXTS = "answer", "limits", "ruler"  # names of the texts that the browser's script changes
TO_TEST = "To test {}, press Enter in its box. To test another value, move its slider."
EMPHASIS = "contradict", "<em>contradict</em>"


class AnswerView(View):
    """The answer to whether the scores contradict the claim.

    The view has a headline, details and a ruler of epsilon. The audit is computed when a browser
    first shows the view, or by `compute`: see `AuditJob`.

    Examples
    --------
    >>> from dpviz.widgets import AnswerView
    >>> view = AnswerView(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8]), epsilon=1.0)
    >>> view.compute()
    >>> view.result.answer.state
    'cannot decide'
    """

    is_wide = True
    shows_audit = True

    def make_children(self) -> list[ipywidgets.Widget]:
        self.text = Html()
        self.audit = self.store.shared(AuditJob)
        self.audit.compute_when_shown(self)
        self.pictures = [self.new_picture(answer.RULER)]
        self.numbers = Html()
        self.numbers.add_class("dpviz-unseen")
        self.limits = Html()
        self.terms = Html()
        if self.store.live is not None:
            for name, text in zip(LIVE_TEXTS, (self.text, self.limits, self.numbers), strict=True):
                self.store.live.add_text_widget(self, name, text)
        hint = "the answer depends on which data sets are neighbours"
        self.other_reading = button("", self._switch_adjacency, tooltip=hint, is_hidden=True)
        shown = [self.limits, self.terms, self.other_reading, self.audit.widget]
        said = stack([self.text, row(shown, css_class="dpviz-answer-below")])
        both = columns([said, self.pictures[0].widget], css_class="dpviz-said")
        return [self.error_line, both, self.numbers]

    def draw(self, result: Result) -> None:
        self.pictures[0].draw(result)
        said = result.sentences
        names = ["answer_detail", "best_of", "at_one_percent"]
        limits = ["large_delta", "answer_limits", "at_most"]
        # The sentence on the claim's adjacency is folded unless the answer depends on adjacency.
        (names if answer.outcome_depends_on_adjacency(result) else limits).append("reading")
        details, folded = (
            "".join(f'<p data-name="{n}">{escape(said[n])}</p>' for n in each if said[n])
            for each in (names, limits)
        )
        headline = escape(said["answer"])
        if result.naming.unclaimed:
            details += f'<p data-name="reading">{TO_TEST.format(result.naming.unclaimed)}</p>'
        if result.answer.state == "contradicted":
            headline = headline.replace(*EMPHASIS, 1)
        self.text.value = (
            f'<div class="dpviz-answer" role="status" aria-live="polite" aria-atomic="true">'
            f"<h2>{headline}</h2>{details}</div>"
        )
        # The terms and the limits open on request, one at a time.
        meanings = "".join(f"<dt>{term}</dt><dd>{text}</dd>" for term, text in TERMS.items())
        meanings = result.naming.renamed(f"<summary>{TERMS_LINE}</summary><dl>{meanings}</dl>")
        self.terms.value = f"<details {ONE_AT_A_TIME}>{meanings}</details>"
        self.limits.value = (
            f"<details {ONE_AT_A_TIME}><summary>{LIMITS_LINE}</summary>{folded}</details>"
        )
        is_asked = answer.outcome_depends_on_adjacency(result)
        self.other_reading.is_hidden = not is_asked
        name = answer.ADJACENCIES[_other_adjacency(result)]
        self.other_reading.description = f"Read it as {name}" if is_asked else ""
        self.numbers.value = f"<p>{escape(answer.ruler_sentence(result))}</p>"  # for screen readers
        self.audit.widget.is_hidden = not result.sample

    def _switch_adjacency(self) -> None:
        """Change the claim's adjacency from replace-one to add/remove, or the reverse."""
        claim = self.store.spec.claim
        self.change(claim=claim.with_parameters(adjacency=_other_adjacency(self.result)))

    def compute(self) -> None:
        """Compute the missing parts of the audit, in the background if an event loop runs."""
        self.audit.compute()


def _other_adjacency(result: Result) -> Adjacency:
    return "add_remove" if result.spec.claim.adjacency == "replace_one" else "replace_one"
