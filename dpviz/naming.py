"""Names of the error rates and of the two classes in different fields and papers.

Every text is written with FPR, FNR, TPR and TNR, members and non-members; a naming puts its own
terms in their places.
"""

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, NamedTuple

NamingKey = (
    Literal["words", "statistics", "hypothesis", "testing"]
    | Literal["bayesian", "lecture", "epsilon_star", "attribute"]
)

RATE_PATTERN = re.compile(r"(\bthe )?\b(FPR|FNR|TPR|TNR)(s?)\b")
VALUE_PATTERN = re.compile(r" (?=[\d{])")  # what follows is the value of the rate, or its slot

# A class as a noun: no slot of a template, no name of a column in straight quotes, or of a file.
NOUN = r"(?<![\w{\"-])%smember(s?)(?![\w}\"-]|\.\w)"


class Term(NamedTuple):
    """The name of an error rate in one field or paper: `short` in sentences, `long` on an axis."""

    short: str
    long: str


# What replaces "the claim" where the guarantee {} is drawn, but nobody claims it.
UNCLAIMED = (
    (re.compile(r"\bthe claim (?=\S = )"), ""),  # "the claim ε = 1, δ = 1e-5"
    (re.compile(r"\b(?:of|by|under) the claim\b(?!')"), "at {}"),
    (re.compile(r"\bthe claim(?=:| (?:allows|lets|at most)\b)"), "{}"),
)


class PhraseReplacement(NamedTuple):
    """A pattern for words about members, with their replacements in sentences and on axes."""

    pattern: re.Pattern[str]
    sentence: str
    axis: str


@dataclass(frozen=True, kw_only=True)
class Naming:
    """The names of the error rates and of both classes in one field.

    Parameters
    ----------
    title : str, of the naming, for menus
    terms : dict, of FPR, FNR, TPR and TNR
    truth : pair of str, rows of the table of counts: what holds for a member, for a non-member
    guess : pair of str, columns of that table: the attack says "member", says "non-member"
    hypotheses : str, sentences on H0, H1 and both errors, and on names that are exchanged
    phrases : tuple of PhraseReplacement, words for members and non-members, replaced in this order
    unclaimed : str, stands for "the claim" where nobody claims the guarantee that is drawn: "ε = 1"

    Examples
    --------
    >>> from dpviz.naming import NAMINGS
    >>> NAMINGS["statistics"].renamed("TPR at FPR 1 %")
    'power at α = 1 %'
    >>> NAMINGS["attribute"].renamed("3 of 100 members are called “member”")
    '3 of 100 records with the attribute are called “has the attribute”'
    """

    title: str
    terms: dict[str, Term]
    truth: tuple[str, str] = ("members", "non-members")
    guess: tuple[str, str] = ("called “member”", "called “non-member”")
    hypotheses: str
    phrases: tuple[PhraseReplacement, ...] = ()
    unclaimed: str = ""

    def renamed(self, text: str) -> str:
        """Return a text of dpviz in the terms of this naming.

        The terms replace the names of rates and classes.
        """
        for pattern, replacement in UNCLAIMED if self.unclaimed else ():
            text = pattern.sub(replacement.format(self.unclaimed), text)
        for phrase in self.phrases:
            text = phrase.pattern.sub(phrase.sentence, text)
        return RATE_PATTERN.sub(self._sentence_term, text)

    def axis_label(self, label: str) -> str:
        """Return the label of an axis in the terms of this naming.

        The terms replace the names of rates and classes.
        """
        for phrase in self.phrases:
            label = phrase.pattern.sub(phrase.axis, label)
        return RATE_PATTERN.sub(lambda match: (match[1] or "") + self.terms[match[2]].long, label)

    def _sentence_term(self, match: re.Match[str]) -> str:
        """Return the term that replaces a matched rate in a sentence."""
        article, rate, plural = match[1] or "", match[2], match[3]
        term = self.terms[rate].short
        if term == rate:
            return match[0]
        before, after = match.string[: match.start()], match.string[match.end() :]
        # A formula next to a minus or a fraction needs brackets.
        is_formula = len(term) == 1 or " - " in term
        if " - " in term and (before.endswith(("/", " - ")) or after.startswith(("/", " - "))):
            term = f"({term})"
        if not is_formula:
            return article + term + plural
        return f"values of {term}" if plural else term + " =" * bool(VALUE_PATTERN.match(after))


@cache
def naming_of(key: NamingKey, unclaimed: str) -> Naming:
    """Return `NAMINGS[key]` with `unclaimed`, if given, in place of "the claim"."""
    return replace(NAMINGS[key], unclaimed=unclaimed) if unclaimed else NAMINGS[key]


def has_replaceable_term(text: str) -> bool:
    """Return whether the label of an axis has a term, such as FPR, that some naming replaces."""
    return any(naming.axis_label(text) != text for naming in NAMINGS.values())


def _attribute_inference_phrases() -> tuple[PhraseReplacement, ...]:
    """Return replacements of "member", in all its forms, by "record with the attribute"."""
    pairs = [
        ("“non-member”", "“lacks it”"),
        ("“member”", "“has the attribute”"),
        (r"\bis (?:not a |a non-)member\b", "does not have the attribute"),
        (r"\bwas (?:not a |a non-)member\b", "did not have the attribute"),
        (r"\bis a member\b", "has the attribute"),
        (r"\bwas a member\b", "had the attribute"),
        (r"\bare members\b", "have the attribute"),
        (r"\bmember-like\b", "has the attribute"),
        (r"\bmembership(?! from)\b", "the attribute"),
        (r"\bof its training records\b", "of all such records"),
        (r"\ban independent sample of the population\b", "an independent sample of all others"),
    ]
    for sign, has in (("non-", "without"), ("", "with")):
        pairs += [
            (rf"\bA {sign}member's (privacy loss|\w+)", rf"The \1 of a record {has} the attribute"),
            (rf"\ba {sign}member's (privacy loss|\w+)", rf"the \1 of a record {has} the attribute"),
            (rf"\ba {sign}member's", f"a record {has} the attribute"),
            (rf"\bthe {sign}members' (\w+)", rf"the \1 of the records {has} the attribute"),
            (rf"\bthe {sign}members'", f"that of the records {has} the attribute"),
        ]
    phrases = [PhraseReplacement(re.compile(pattern), new, new) for pattern, new in pairs]
    # The plain noun comes last, since it stands inside all phrases above.
    for sign, has in (("non-", "without"), ("", "with")):
        sentence, axis, noun = rf"record\1 {has} the attribute", f"{has} the attribute", NOUN % sign
        called = re.compile(noun + r"(?= (?:caught|missed|wrongly))")  # an axis of a rate
        phrases.append(PhraseReplacement(called, sentence, f"{axis}:"))
        phrases.append(PhraseReplacement(re.compile(noun), sentence, axis))
    return tuple(phrases)


def _rate_terms(
    fpr: Term | str, fnr: Term | str, tpr: Term | str = "TPR", tnr: Term | str = "TNR"
) -> dict[str, Term]:
    """Return the terms of the four rates; a str is used both in sentences and on axes."""
    terms = {"FPR": fpr, "FNR": fnr, "TPR": tpr, "TNR": tnr}.items()
    return {rate: Term(term, term) if isinstance(term, str) else term for rate, term in terms}


ALPHA, BETA = Term("α", "type I error α"), Term("β", "type II error β")
FPR_AND_FNR = _rate_terms("FPR", "FNR")

NAMINGS: dict[NamingKey, Naming] = {
    "words": Naming(
        title="FPR and FNR",
        terms=FPR_AND_FNR,
        hypotheses=(
            "H0: the record is not a member. H1: it is a member. FPR is the share of non-members "
            "that are called “member”. FNR is the share of members that are called “non-member”."
        ),
    ),
    "statistics": Naming(
        title="statistics: α and β",
        terms=_rate_terms(ALPHA, BETA, Term("power", "power 1 - β"), "1 - α"),
        truth=("H1 is true: members", "H0 is true: non-members"),
        guess=("H0 rejected", "H0 not rejected"),
        hypotheses=(
            "H0: the record is not a member. H1: it is a member. A type I error rejects a true H0; "
            "its probability α is the size of the test and the FPR. A type II error does not "
            "reject a false H0; its probability β is the FNR. The power 1 - β is the TPR."
        ),
    ),
    "hypothesis": Naming(
        title="hypothesis interpretation: α and β",
        terms=_rate_terms(ALPHA, BETA, Term("1 - β", "power 1 - β"), "1 - α"),
        truth=("H1: M is trained on x", "H0: M is not trained on x"),
        guess=("H0 rejected", "H0 not rejected"),
        hypotheses=(
            "H0: M is not trained on x. H1: M is trained on x. The type I error α is the FPR and "
            "the significance level. The type II error β is the FNR. The power is 1 - β."
        ),
    ),
    "testing": Naming(
        title="DP as hypothesis testing: D1 and D2",
        terms=FPR_AND_FNR,
        truth=("output of M(D2): members", "output of M(D1): non-members"),
        guess=("guess D2", "guess D1"),
        hypotheses=(
            "H0: the output comes from M(D1). H1: the output comes from M(D2). The source of this "
            "notation does not say which of D1 and D2 has the record; here it is D2. If D1 had the "
            "record, FPR and FNR would be swapped, and the region would be the same."
        ),
    ),
    "bayesian": Naming(
        title="Bayesian view: α",
        terms=_rate_terms(Term("α", "false positive rate α"), "FNR"),
        truth=("b = 1: z from S", "b = 0: z from D"),
        guess=("guess 1", "guess 0"),
        hypotheses=(
            "b = 0: z is drawn from the population D. b = 1: z is drawn from the training set S. α "
            "is the false positive rate. One sentence of the source exchanges the two rates: it "
            "calls α the FNR."
        ),
    ),
    "lecture": Naming(
        title="lecture: type I = FNR (H0: member)",
        terms=_rate_terms("type II error", "type I error", "1 - type I error", "1 - type II error"),
        truth=("H0: member", "H1: non-member"),
        guess=("guess H0", "guess H1"),
        hypotheses=(
            "H0: the record is a member (handwritten on the slides). H1: it is not a member. A "
            "type I error rejects a true H0, so the FNR is the type I error and the FPR the type "
            "II error. One slide calls “guess H0 when H1 holds” a type I error; it is of type II."
        ),
    ),
    "epsilon_star": Naming(
        title="Epsilon* paper: FPR t, FNR η",
        terms=_rate_terms(
            Term("t", "FPR t"),
            Term("η", "FNR η"),
            Term("1 - η", "TPR = 1 - η"),
            Term("1 - t", "TNR = 1 - t"),
        ),
        truth=("training point (H1)", "population point (H0)"),
        guess=("loss at most τ", "loss above τ"),
        hypotheses=(
            "H0: the training set does not contain the point. H1: it does. As in section 3 of the "
            "paper, t is the FPR and η is the FNR. Section 2 of the paper exchanges the two "
            "hypotheses, and so calls the FNR the type I error."
        ),
    ),
    "attribute": Naming(
        title="attribute inference: has the attribute, lacks it",
        terms=FPR_AND_FNR,
        truth=("has the attribute", "lacks it"),
        guess=("called “has the attribute”", "called “lacks it”"),
        hypotheses=(
            "H0: the record does not have the attribute. H1: it does. The attack guesses the "
            "attribute from the output. FPR is the share of records without the attribute that are "
            "called “has the attribute”. FNR is the share of records with the attribute that are "
            "called “lacks it”."
        ),
        phrases=_attribute_inference_phrases(),
    ),
}
