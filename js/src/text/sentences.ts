/** The sentences of closed forms; their words come from dpviz/analysis/words.py. */

import { APPROXIMATE } from "../theory/claim";
import { max } from "../theory/exponentials";
import { about } from "../theory/people";
import { ppvOf } from "../theory/risk";
import { epsilonOf, isClaimed, number, type Point, type Shown } from "../state/state";
import { fill, texts } from "./fill";
import { lower, percent, percentAtMost, short, shortAbove, upper } from "./number_format";
import { answerOf, isTested, answerTexts } from "./answer";
import { guessTexts } from "./guess";
import { ratioText } from "./output_ratio";
import { readoutTexts } from "./readout";
import { titleTexts } from "./titles";
import { peopleTexts } from "./people";
import { named } from "./unclaimed";

export type Words = Record<string, string>;

/** As in dpviz/analysis/result.py. */
const LOW_FPR = 0.001;
/** An inequality that implies less allows every epsilon; 0 has rounding errors. */
const ROUNDING = 1e-9;

/** All sentences by name; `tails` are the parts that the kernel adds, or their placeholders. */
export function sentences(s: Shown, words: Words, tails: Words): Words {
  const given = texts(s.given.parameters, (value) => short(number(value)));
  const claim = fill(
    s.given.called,
    s.claim.kind === APPROXIMATE ? texts({ ...s.claim, kind: 0 }, short) : given,
  );
  const conversion = fill(s.given.conversion, given);
  const delta = short(s.claimDelta);
  const fpr = percent(s.fpr);
  const limit = s.f.limit === Infinity ? words["risk.limit"] : "";
  const permitted = fill(words.tradeoff, { claim, fpr, "tpr": percentAtMost(s.f.tpr(s.fpr)) });
  // At the rate that the attack realises, as in the region.
  const beside = s.point?.source === "attack" ? s.point.fpr : s.fpr;
  const required = { fpr: percent(beside), least: percent(lower(s.f.fnr(beside))) };
  const risk = fill(words.risk, {
    ...{ claim, fpr, prior: percent(s.prior) },
    ppv: percentAtMost(ppvOf(s.f, s.fpr, s.prior)),
    advantage: short(upper(s.f.advantage(s.fpr))),
  });
  const claimed: Words = {
    "region_lead": s.point
      ? regionLead(s.point, s, words)
      : fill(words["region_lead.claim"], { fpr }) + tails.waiting,
    "tradeoff_lead": fill(words["tradeoff_lead"], required) + tails["tradeoff_lead"],
    "tail_lead": fill(words["tail_lead"], { fpr: percent(LOW_FPR), "tpr": percentAtMost(s.f.tpr(LOW_FPR)) }) +
      tails["tail_lead"],
    "risk_lead": fill(words["risk_lead"], {
      ...{ fpr: required.fpr, prior: percent(s.prior) },
      ppv: percentAtMost(ppvOf(s.f, beside, s.prior)),
    }),
    region: conversion + (s.point ? regionText(s.point, s, claim, words) : tails.waiting),
    "implied": s.point ? impliedText(s.point, delta, words) : "",
    tradeoff: conversion + permitted + tails.tradeoff,
    risk: conversion + risk + limit + tails.risk,
    guessing: fill(words["guessing"], { fpr }),
    allowed: `${fill(words["tradeoff_lead"], { fpr, least: percent(lower(s.f.fnr(s.fpr))) })}.`,
    "ratio_lead": ratioText(s, words),
    ...answerTexts(s, words),
    ...guessTexts(s, words),
    ...readoutTexts(s, words),
    ...titleTexts(s, words),
    ...peopleTexts(s, words, s.isAttackLate ? tails.waiting! : ""),
  };
  const said = isClaimed(s) ? claimed : { ...claimed, ...withoutClaim(s, words, tails) };
  return texts(said, (text) => named(text, s));
}

const FOLDED_OF_CLAIM = "region,tradeoff,risk,allowed,population_counts,guess,costs".split(",");

/** In place of the sentences about the claim, where nothing is claimed. */
function withoutClaim(s: Shown, words: Words, tails: Words): Words {
  const { point, people, isAttackLate } = s;
  const none = words["no_claim"]!;
  const said = (fpr: number): string => fill(words["at_fpr.no_claim"], { fpr: percent(fpr) });
  const rates = { detected: about(people.tpr), flagged: about(people.fpr) };
  const caught = fill(words["people.measured"], rates) + (isAttackLate ? tails.waiting : "");
  return {
    ...Object.fromEntries(FOLDED_OF_CLAIM.map((name) => [name, ""])),
    "region_lead": point ? pointLead(point, s, words) : none + tails.waiting,
    "tradeoff_lead": said(point?.source === "attack" ? point.fpr : s.fpr) + tails["tradeoff_lead"],
    "tail_lead": said(LOW_FPR) + tails["tail_lead"],
    "risk_lead": none,
    "guess_lead": none,
    "costs_lead": none,
    ...(people.isMeasured ? { people: caught } : { people: none, population: none }),
  };
}

/** Where the point lies, where nothing is claimed. */
function pointLead(point: Point, s: Shown, words: Words): string {
  const { source, fpr, fnr } = point;
  if (source === "claim") return words["no_claim"]!;
  const slots = { fpr: percent(fpr), fnr: percent(fnr), allowing: allowing(point, s, words) };
  return fill(words[`region_lead.${source === "attack" ? "measured" : "point"}`], slots);
}

/** The text beside the point in the region; measured rates imply no bound. */
export function pointText(point: Point, s: Shown, words: Words): string {
  const { source, admitted } = point;
  if (source === "attack") return words[`point.${admitted || !isTested(s) ? "measured" : answerOf(s)}`]!;
  if (!isClaimed(s))
    return source === "chosen" ? fill(words["point.chosen"], { epsilon: needed(point, s) }) : "";
  return fill(words["point"], {
    place: point.admitted ? "allowed" : "not allowed",
    epsilon: needed(point, s),
  });
}

function regionLead(point: Point, s: Shown, words: Words): string {
  const { source, fpr, fnr, admitted } = point;
  const least = s.f.fnr(fpr);
  const above = source === "attack" && !admitted && fnr >= least;
  return fill(words[`region_lead.${above ? "above" : source}`], {
    ...{ fpr: percent(fpr), fnr: percent(fnr), least: percent(lower(least)) },
    place: admitted ? "inside" : "outside",
    allowing: allowing(point, s, words),
  });
}

/** Which epsilons allow the point. */
function allowing(point: Point, s: Shown, words: Words): string {
  const { epsilon } = point;
  const kind = epsilon < ROUNDING ? "every" : epsilon === Infinity ? "none" : "from";
  return fill(words[`allowing.${kind}`], { epsilon: needed(point, s) });
}

/** The least epsilon that allows the point; more than claimed where the claim does not. */
function needed({ epsilon, admitted }: Point, s: Shown): string {
  return shortAbove(epsilon < ROUNDING ? 0 : epsilon, admitted ? Infinity : epsilonOf(s));
}

function regionText(point: Point, s: Shown, claim: string, words: Words): string {
  const { source, epsilon } = point;
  return fill(words[`region.${source}`], {
    ...{ claim, delta: short(s.claimDelta), fpr: percent(point.fpr), epsilon: short(epsilon) },
    fnr: percent(source === "claim" ? lower(point.fnr) : point.fnr),
    place: point.admitted ? "inside" : "outside",
    allowing: allowing(point, s, words),
  });
}

function impliedText(point: Point, delta: string, words: Words): string {
  const measured = point.source === "attack" ? words["implied.measured"] : "";
  const ratios = words["implied.ratios"]!.split("; ");
  const each = point.implied
    .map((epsilon, i) => (epsilon > -ROUNDING ? `${short(max(0, epsilon))} from ${ratios[i]}` : ""))
    .filter((text) => text)
    .join("; ");
  return fill(words[each ? "implied" : "implied.any"], { delta, measured, each });
}

