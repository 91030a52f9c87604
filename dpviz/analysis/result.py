"""The result of an analysis: its frozen parts, and every sentence and table written about them."""

from functools import cached_property

from dpviz.analysis.parts.answer import Answer, allows_everything, answer_of
from dpviz.analysis.parts.parts import ResultParts
from dpviz.analysis.sentences.registered import Table
from dpviz.analysis.sentences.registry import SENTENCES, TABLES


class Result(ResultParts):
    """What the explorer shows for a spec and scores: parts, sentences and tables.

    Fields as in :class:`~dpviz.analysis.parts.parts.ResultParts`.

    Examples
    --------
    >>> from dpviz.analysis import Analysis, Spec
    >>> Analysis().result(Spec.of(epsilon=1.0, delta=0.0)).sentences["profile"]
    'This guarantee gives ε = 1 at δ = 0.'
    """

    @cached_property
    def answer(self) -> Answer:
        """What the scores show of the claim, and the numbers of the ruler."""
        return answer_of(self)

    @cached_property
    def is_claimed(self) -> bool:
        """Whether anything is claimed: what allows every attack is no claim."""
        return not allows_everything(self.claim.claim)

    @cached_property
    def sentences(self) -> dict[str, str]:
        """Every registered sentence that applies, by name; "" where it has nothing to say."""
        return {name: each(self) for name, each in SENTENCES.items() if each.when(self)}

    @cached_property
    def tables(self) -> dict[str, Table]:
        """Every registered table that applies, by name: caption, head and rows."""
        return {name: each(self) for name, each in TABLES.items() if each.when(self)}
