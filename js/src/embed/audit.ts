/** The audit of scores that a page was given, and its running computation of the bound. */

import { epsilonStarOf, type EpsilonStar } from "../audit/epsilon_star";
import { oneCutBound, oneCutCeiling, type Steps } from "../audit/one_cut";
import { bandOf, limitsAt } from "../audit/band";
import { rankingOf, ratesAt, thresholdAt, type Ranking, type Sample } from "../audit/ranking";
import type { Polyline } from "../theory/claim";
import { ceil, max, min } from "../theory/exponentials";
import { upper } from "../text/number_format";
import type { KnownAudit, Measured } from "../state/state";
import { TEMPLATES } from "./templates";

/** Records of which a page computes the bound. */
export const MOST_RECORDS = 100_000;
/** Milliseconds of computation at a time, between which the page is alive. */
const SLICE = 12;

export interface Bound {
  low: number;
  /** The bound of a perfect attack on so many records. */
  ceiling: number;
}

export class Audit {
  readonly ranking: Ranking;
  readonly band: Polyline;
  private readonly bounds = new Map<number, Bound>();
  private readonly stars = new Map<number, EpsilonStar>();
  private running: { delta: number; stop: () => void } | undefined;

  constructor(sample: Sample) {
    this.ranking = rankingOf(sample);
    this.band = bandOf(this.ranking, TEMPLATES.levels);
  }

  get records(): number {
    return this.ranking.members + this.ranking.nonmembers;
  }

  star(delta: number): EpsilonStar {
    const known = this.stars.get(delta) ?? epsilonStarOf(this.ranking, delta);
    this.stars.set(delta, known);
    return known;
  }

  bound(delta: number): Bound | undefined {
    return this.bounds.get(delta);
  }

  /** Compute the bound at a delta unless it is known, and no other; call back when it is found. */
  find(delta: number, found: () => void): void {
    if (this.records > MOST_RECORDS || this.bounds.has(delta)) return this.stop();
    if (this.running?.delta === delta) return;
    this.stop();
    const stop = inSlices(this.both(delta), (bound) => {
      this.running = undefined;
      this.bounds.set(delta, bound);
      found();
    });
    this.running = { delta, stop };
  }

  stop(): void {
    this.running?.stop();
    this.running = undefined;
  }

  private *both(delta: number): Steps<Bound> {
    const { members, nonmembers } = this.ranking;
    const low = yield* oneCutBound(this.ranking, delta);
    return { low, ceiling: yield* oneCutCeiling(members, nonmembers, delta) };
  }

  /** Where a log ratio of the attack's own direction is the largest, rounded up; else 1 %. */
  strongestFpr(delta: number): number {
    const [first, second] = this.star(delta).maxima;
    if (!first || !second) return 0.01;
    const { fpr } = first.ratio > second.ratio ? first : second;
    return fpr < 1e-3 ? min(1, upper(fpr)) : ceil(1e4 * fpr) / 1e4;
  }

  measured(fpr: number): Measured {
    const ratio = (at: number): number => {
      const { fpr, fnr } = ratesAt(this.ranking, thresholdAt(this.ranking, at));
      return fnr < 1 ? (1 - fnr) / fpr : 0;
    };
    return { ...ratesAt(this.ranking, thresholdAt(this.ranking, fpr)), ratio: max(ratio(fpr), ratio(0.01)) };
  }

  limits(fpr: number): ReturnType<typeof limitsAt> {
    return limitsAt(this.ranking, thresholdAt(this.ranking, fpr), TEMPLATES.levels);
  }

  /** What is known of a claim of this epsilon at this delta. */
  known(epsilon: number, delta: number): KnownAudit {
    const { members, kind, truePositives } = this.ranking;
    const bound = this.bound(delta);
    const caught = truePositives[thresholdAt(this.ranking, 0.01)]!;
    const tpr = caught / members;
    const few = tpr ? "fewer than 1" : "none";
    const number = tpr < 0.005 ? few : (100 * tpr).toFixed(0);
    const open = bound && (bound.ceiling <= epsilon ? "cannot decide" : "not contradicted");
    return {
      state: bound && bound.low > epsilon ? "contradicted" : (open ?? "computing"),
      kind: kind === "loss" ? "losses" : "scores",
      bound: bound?.low ?? null,
      delta,
      ceiling: bound?.ceiling ?? null,
      at_one_percent: `At FPR 1 % this attack catches ${number} of 100 members, as measured (${caught} of ${members})`,
      tpr,
      clearest: null,
    };
  }
}

/** Run steps, some at a time; return what stops them. */
function inSlices<T>(steps: Steps<T>, done: (result: T) => void): () => void {
  let timer = setTimeout(run, 0);
  function run(): void {
    const end = performance.now() + SLICE;
    let step = steps.next();
    while (!step.done && performance.now() < end) step = steps.next();
    if (step.done) done(step.value);
    else timer = setTimeout(run, 0);
  }
  return () => clearTimeout(timer);
}
