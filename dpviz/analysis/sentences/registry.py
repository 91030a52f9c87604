"""The registry of all sentences and tables about a result.

A new one is a function in a topic file of this folder and one line here. The explorer, the command
line and saved pages take their texts from the registry.
"""

from collections.abc import Callable

from dpviz.analysis.parts.parts import ResultParts
from dpviz.analysis.sentences import (
    answer,
    attacks,
    averaged,
    bounds,
    checklist,
    claim,
    counts,
    density_ratio,
    deployments,
    designs,
    epsilon_star,
    evidence,
    experiment,
    for_risk,
    guess,
    landscape,
    leads,
    mechanism,
    neighbours,
    noise,
    people,
    plan,
    processing,
    rates,
    retraining,
    slices,
    slides,
    timeline,
    ways_of_stating,
    zoom_levels,
)
from dpviz.analysis.sentences.registered import Registered, Table, about
from dpviz.analysis.sentences.templates import WORDS

SLIDE = "slide"  # in place of a picture's topic: only slides of a presentation show the sentence


def with_scores(result: ResultParts) -> bool:
    """Return whether a result has scores."""
    return result.sample is not None


def names_of(picture: str) -> tuple[str, ...]:
    """Return the names of the sentences that are shown with a picture, in their order."""
    return tuple(name for name, each in SENTENCES.items() if each.picture == picture)


def lead_of(picture: str) -> str:
    """Return the name of the sentence that stands below a picture; "" if it has none."""
    return next((name for name in names_of(picture) if SENTENCES[name].lead), "")


def _lead(write: Callable[[ResultParts], str], picture: str) -> Registered[str]:
    return Registered(write, picture, lead=True)


def _claim_lead(
    write: Callable[[ResultParts], str],
    picture: str,
    without_claim: Callable[[ResultParts], str] = claim.no_guarantee,
) -> Registered[str]:
    """Return the lead of a picture of the claim, with its text where nothing is claimed."""
    return Registered(write, picture, lead=True, about_claim=True, without_claim=without_claim)


def _compared(
    write: Callable[[ResultParts], str], picture: str, *, in_sight: bool = False
) -> Registered[str]:
    """Return a sentence about several attacks, whose names are words of users."""
    return Registered(
        lambda result: write(result) if attacks.with_attacks(result) else "",
        picture,
        in_sight=in_sight,
        quotes=True,
    )


SENTENCES: dict[str, Registered[str]] = {
    "answer": _lead(answer.answer, "answer"),
    "answer_detail": Registered(answer.answer_detail, "answer"),
    "reading": Registered(neighbours.reading, "answer", about_claim=True),
    "at_one_percent": Registered(
        answer.at_one_percent,
        "answer",
        about_claim=True,
        without_claim=answer.caught_at_one_percent,
    ),
    "answer_limits": Registered(answer.answer_limits, "answer"),
    "large_delta": Registered(answer.large_delta, "answer"),
    "best_of": _compared(attacks.best_of, "answer"),
    "odds": Registered(answer.odds, "answer", about_claim=True),
    "region_lead": _claim_lead(leads.region, "region", leads.region_without_claim),
    "region": Registered(rates.region, "region", about_claim=True),
    "implied": Registered(rates.implied, "region"),
    "same_inequality": Registered(lambda _: rates.SAME_INEQUALITY, "region", fixed=True),
    "flipped": Registered(lambda _: rates.FLIPPED, "region", fixed=True),
    "point_box": Registered(rates.point_box, "region"),
    "pinned_point": Registered(rates.pinned_point, "region", in_sight=True),
    "tradeoff_lead": _claim_lead(leads.tradeoff, "tradeoff", leads.tradeoff_without_claim),
    "tail_lead": _claim_lead(leads.tail, "tail", leads.tail_without_claim),
    "tradeoff": Registered(rates.tradeoff, "tradeoff", about_claim=True),
    "naming": Registered(
        lambda result: result.naming.hypotheses, "tradeoff", quotes=True, fixed=True
    ),
    "randomness": Registered(lambda _: rates.RANDOMNESS, "tradeoff", fixed=True, about_claim=True),
    "lowest": _compared(attacks.lowest, "tradeoff", in_sight=True),
    "differences": _compared(attacks.differences, "tradeoff"),
    "comparison": Registered(claim.comparison, "tradeoff", about_claim=True),
    "implies": Registered(claim.implies, "claim", about_claim=True, without_claim=claim.implies),
    "profile": _claim_lead(leads.profile, "profile"),
    "other_order": Registered(claim.other_order, "profile", about_claim=True),
    "ways_of_stating_lead": about(
        "ways_of_stating", lambda p, _: ways_of_stating.lead(p), lead=True
    ),
    "ways_of_stating": about("ways_of_stating", lambda p, _: ways_of_stating.about(p)),
    "deployments_lead": about("deployments", lambda p, _: deployments.lead(p), lead=True),
    "deployments": about("deployments", lambda p, _: deployments.about(p)),
    "for_risk_lead": about("for_risk", lambda p, _: for_risk.lead(p), lead=True),
    "for_risk": about("for_risk", lambda p, _: for_risk.about(p)),
    "epsilon_star_lead": _lead(leads.epsilon_star, "epsilon_star"),
    "epsilon_star": Registered(epsilon_star.epsilon_star, "epsilon_star"),
    "warnings": Registered(epsilon_star.warnings, "epsilon_star"),
    "fit_lead": _lead(leads.fit, "fit"),
    "fit": Registered(epsilon_star.fit, "fit"),
    "quantiles": _lead(leads.quantiles, "quantiles"),
    "maximum_place": Registered(epsilon_star.maximum_place, "quantiles"),
    "risk_lead": _claim_lead(leads.risk, "risk"),
    "risk": Registered(rates.risk, "risk", about_claim=True),
    "advantage_prior": Registered(lambda _: rates.ADVANTAGE_PRIOR, "risk", fixed=True),
    "guessing": Registered(slides.guessing, SLIDE),
    "allowed": Registered(slides.allowed, SLIDE, about_claim=True),
    "people": _claim_lead(people.people, "people", people.people_without_claim),
    "people_rounding": Registered(people.rounding, "people", about_claim=True),
    "redraws": about("redraws", lambda p, _: people.redraws(p), lead=True),
    "about_redraws": about("redraws", lambda p, _: people.about_redraws(p)),
    "population": _claim_lead(people.population, "population", people.population_without_claim),
    "population_counts": Registered(people.counts, "population", about_claim=True),
    "guess_lead": _claim_lead(guess.guess_lead, "guess"),
    "guess": Registered(guess.guess, "guess", about_claim=True),
    "candidate_output_lead": about(
        "posterior", lambda *_: WORDS["candidate_output"], "candidate_output", lead=True
    ),
    "candidate_output": about(
        "posterior", lambda p, _: guess.candidate_output(p), "candidate_output"
    ),
    "posterior_lead": about("posterior", lambda p, _: guess.posterior_lead(p), lead=True),
    "posterior": about("posterior", lambda *_: WORDS["posterior.bayes"]),
    "processing_lead": about(
        "processing", lambda p, _: processing.lead(p), lead=True, about_claim=True
    ),
    "processing": about("processing", lambda p, _: processing.about(p), about_claim=True),
    "costs_lead": _claim_lead(guess.costs_lead, "costs"),
    "costs": Registered(guess.costs, "costs", about_claim=True),
    "scores_lead": _lead(leads.scores, "scores"),
    "scores": Registered(rates.scores, "scores"),
    "evidence_lead": _lead(leads.evidence, "evidence"),
    "bound": Registered(evidence.bound, "evidence"),
    "against": Registered(evidence.against, "evidence", about_claim=True),
    "cautions": Registered(evidence.cautions, "evidence"),
    "chance": Registered(evidence.chance, "evidence"),
    "ceiling": Registered(evidence.ceiling, "evidence"),
    "consistent": Registered(evidence.consistent, "evidence"),
    "band": Registered(evidence.band, "tradeoff"),
    "bounds_lead": about("bounds", leads.bounds, lead=True),
    "bounds": about("bounds", lambda p, r: bounds.summary(p, r.claim)),
    "bounds_cautions": about("bounds", lambda p, r: bounds.cautions(p, r.spec)),
    "plan_lead": about("plan", lambda p, _: plan.lead(p), lead=True),
    "plan": about("plan", lambda p, _: plan.summary(p)),
    "designs_lead": about("designs", lambda p, _: designs.lead(p), lead=True),
    "designs": about("designs", lambda p, _: designs.summary(p)),
    "slices_lead": about("slices", lambda p, _: leads.slices(p), lead=True, quotes=True),
    "slices": about("slices", lambda p, _: slices.summary(p), quotes=True),
    "retraining_lead": about(
        "retraining", lambda p, _: leads.retraining(p), lead=True, quotes=True
    ),
    "retraining": about(
        "retraining", lambda p, r: retraining.summary(p.against(r.spec.claim)), quotes=True
    ),
    "landscape_lead": about("landscape", lambda p, _: leads.landscape(p), lead=True, quotes=True),
    "landscape": about("landscape", lambda p, _: landscape.summary(p), quotes=True),
    "both_sides_lead": about("both_sides", lambda p, _: averaged.lead(p), lead=True),
    "both_sides": about("both_sides", lambda p, _: averaged.summary(p)),
    "timeline_lead": about(
        "timeline", lambda p, _: leads.timeline(p, p.training), lead=True, quotes=True
    ),
    "timeline": about("timeline", lambda p, _: timeline.summary(p, p.training), quotes=True),
    "outputs_lead": about("mechanism", leads.outputs, "outputs", lead=True, about_claim=True),
    "outputs": about(
        "mechanism", lambda p, r: mechanism.outputs_said(p, r.claim), "outputs", about_claim=True
    ),
    "ratio_lead": about("ratio", lambda p, _: density_ratio.lead(p), lead=True),
    "ratio": about("ratio", lambda *_: density_ratio.ABOUT),
    "zoom_levels_lead": about(
        "zoom_levels", lambda p, r: zoom_levels.lead(p, r.answers["zoom_norm"]), lead=True
    ),
    "zoom_levels": about("zoom_levels", lambda p, _: zoom_levels.summary(p)),
    "noise_lead": about("noise", lambda p, _: noise.lead(p), lead=True),
    "noise": about("noise", lambda *_: noise.ABOUT),
    "decision_lead": about(
        "mechanism",
        lambda p, _: leads.decision(p.decision),
        "decision",
        lead=True,
        about_claim=True,
    ),
    "decision": about(
        "mechanism", lambda p, _: mechanism.point_said(p.decision), "decision", about_claim=True
    ),
    "privacy_loss_lead": about(
        "mechanism",
        lambda p, _: leads.privacy_loss(p.loss),
        "privacy_loss",
        lead=True,
        about_claim=True,
    ),
    "privacy_loss": about(
        "mechanism", lambda p, _: mechanism.loss_said(p.loss), "privacy_loss", about_claim=True
    ),
    "checklist": Registered(checklist.summary, "checklist", when=with_scores),
    "checklist_stated": Registered(checklist.stated, "checklist", when=with_scores, quotes=True),
    "checklist_effects": Registered(checklist.effects, "checklist", when=with_scores, quotes=True),
    "inputs": about("inputs", lambda p, _: checklist.indications(p), "checklist", quotes=True),
    "protocol": about("protocol", lambda p, _: p.sentence, "checklist", quotes=True),
    "experiment_lead": about("experiment", lambda p, _: leads.experiment(p), lead=True),
    "rules": about("experiment", lambda p, _: experiment.rules(p)),
    "last_round": about("experiment", lambda p, _: experiment.last_round(p)),
    "frequencies": about("experiment", lambda p, _: experiment.frequencies(p)),
    "giveaway": about("experiment", lambda p, _: experiment.giveaway(p)),
}

TABLES: dict[str, Registered[Table]] = {
    "counts": Registered(
        lambda r: Table(counts.CAPTION, counts.head(r.naming), counts.table(r)), when=with_scores
    ),
    "rates": Registered(
        lambda r: Table(evidence.RATES_CAPTION, evidence.RATES_HEAD, evidence.rates(r)),
        when=with_scores,
    ),
    "checklist": Registered(
        lambda r: Table(checklist.CAPTION, checklist.HEAD, checklist.table(r)),
        when=with_scores,
        quotes=True,
    ),
    "attacks": Registered(
        lambda r: Table(attacks.caption(r), attacks.HEAD, attacks.table(r)),
        when=attacks.with_attacks,
        quotes=True,
    ),
    "bounds": about("bounds", lambda p, _: Table(bounds.EACH_ALONE, bounds.HEAD, bounds.table(p))),
    "designs": about(
        "designs", lambda p, _: Table(designs.CAPTION, designs.HEAD, designs.table(p))
    ),
    "plan": about("plan", lambda p, _: Table(plan.CAPTION, plan.HEAD, plan.table(p))),
    "slices": about(
        "slices", lambda p, _: Table(slices.CAPTION, slices.HEAD, slices.table(p)), quotes=True
    ),
    "retraining": about(
        "retraining",
        lambda p, r: Table(
            retraining.CAPTION, retraining.HEAD, retraining.table(p.against(r.spec.claim))
        ),
        quotes=True,
    ),
    "landscape": about(
        "landscape",
        lambda p, _: Table(landscape.CAPTION, landscape.head(p), landscape.table(p)),
        quotes=True,
    ),
    "both_sides": about(
        "both_sides", lambda p, _: Table(averaged.CAPTION, averaged.HEAD, averaged.table(p))
    ),
    "timeline": about(
        "timeline",
        lambda p, _: Table(timeline.CAPTION, timeline.HEAD, timeline.table(p, p.training)),
        quotes=True,
    ),
    "ways_of_stating": about(
        "ways_of_stating",
        lambda p, _: Table(ways_of_stating.CAPTION, ways_of_stating.HEAD, ways_of_stating.table(p)),
    ),
    "deployments": about(
        "deployments",
        lambda p, _: Table(deployments.caption(p), deployments.HEAD, deployments.table(p)),
    ),
    "for_risk": about(
        "for_risk", lambda p, _: Table(for_risk.CAPTION, for_risk.HEAD, for_risk.table(p))
    ),
    "deployments_pair": about(
        "deployments",
        lambda p, _: Table(
            deployments.pair_caption(p), deployments.pair_head(p), deployments.pair_table(p)
        ),
    ),
    "zoom_levels": about(
        "zoom_levels",
        lambda p, r: Table(
            zoom_levels.CAPTION, zoom_levels.head(r.answers["zoom_norm"]), zoom_levels.table(p)
        ),
    ),
    "experiment": about(
        "experiment",
        lambda p, _: Table(experiment.caption(p), experiment.HEAD, experiment.table(p)),
    ),
    "list_experiment": about(
        "experiment",
        lambda p, _: Table(experiment.LIST_CAPTION, experiment.LIST_HEAD, experiment.list_table(p)),
    ),
}
