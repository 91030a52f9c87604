/** The sentences of closed forms; their words come from dpviz/analysis/sentences/templates.py. */

import { ppvOf } from "../theory/risk";
import { number, type Point, type Shown } from "../state/state";
import { lower, percent, short, upper } from "./number_format";

export type Words = Record<string, string>;

/**
 * All sentences by name; `tails` are the parts that the kernel adds, or their placeholders.
 *
 * Names and slots are quoted where build.mjs would shorten them: Python knows them.
 */
export function sentences(s: Shown, words: Words, tails: Words): Words {
  const given = texts(s.given.parameters, (value) => short(number(value)));
  const claim = fill(
    s.given.called,
    s.claim.kind === "approximate" ? texts({ ...s.claim, kind: 0 }, short) : given,
  );
  const conversion = fill(s.given.conversion, given);
  const delta = short(s.claimDelta);
  const fpr = percent(s.fpr);
  const limit = s.f.limit === Infinity ? words["risk.limit"] : "";
  const permitted = fill(words.tradeoff, { claim, fpr, "tpr": percent(upper(s.f.tpr(s.fpr))) });
  const risk = fill(words.risk, {
    ...{ claim, fpr, prior: percent(s.prior) },
    ppv: percent(upper(ppvOf(s.f, s.fpr, s.prior))),
    advantage: short(upper(s.f.advantage(s.fpr))),
  });
  return {
    region: conversion + (s.point ? regionText(s.point, claim, delta, words) : tails.waiting),
    "implied": s.point ? impliedText(s.point, delta, words) : "",
    tradeoff: conversion + permitted + tails.tradeoff,
    risk: conversion + risk + limit + tails.risk,
  };
}

/** The text beside the point in the region. */
export function pointText(point: Point, words: Words): string {
  return fill(words["point"], {
    place: point.admitted ? "allowed" : "not allowed",
    epsilon: short(point.epsilon),
    estimate: point.source === "attack" ? words["point.estimate"] : "",
  });
}

function regionText(point: Point, claim: string, delta: string, words: Words): string {
  const { source, epsilon } = point;
  const kind = epsilon === 0 ? "every" : epsilon === Infinity ? "none" : "from";
  return fill(words[`region.${source}`], {
    ...{ claim, delta, fpr: percent(point.fpr), epsilon: short(epsilon) },
    fnr: percent(source === "claim" ? lower(point.fnr) : point.fnr),
    place: point.admitted ? "inside" : "outside",
    allowing: fill(words[`allowing.${kind}`], { epsilon: short(upper(epsilon)) }),
  });
}

function impliedText(point: Point, delta: string, words: Words): string {
  const [e1, e2, e3, e4] = point.implied.map((value) => short(value));
  const measured = point.source === "attack" ? words["implied.measured"] : "";
  return fill(words["implied"], { delta, measured, e1, e2, e3, e4 });
}

function texts<T>(values: Record<string, T>, write: (value: T) => string): Words {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, write(value)]));
}

function fill(template: string | undefined, values: Record<string, string | undefined>): string {
  return (template ?? "").replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
}
