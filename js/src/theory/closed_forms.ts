/**
 * What a claim allows, without a kernel: the closed forms of dpviz.theory in TypeScript.
 *
 * Pure functions of numbers whose ranges the caller checks. Both implementations are tested against
 * tests/parity/vectors.json. x = FPR and y = FNR, unless documented otherwise.
 */

import { approximate } from "./approximate";
import { APPROXIMATE, polyline, STATED, type Claim, type Polyline, type Tradeoff } from "./claim";
import { min, timesExp } from "./exponentials";
import { gaussian } from "./gaussian";
import { laplace } from "./laplace";
import { SLACK, outline, regionAdmits } from "./region";
import { stated } from "./stated";
import { npvOf, oddsOf, ppvOf, riskOf, tailOf, type Decades, type RiskBounds } from "./risk";

export type { Claim, Polyline } from "./claim";
export { deltaAtPoint, epsilonAtPoint, impliedEpsilons } from "./region";
export { deltaAt, epsilonAt } from "./profile";
export type { RiskBounds } from "./risk";

/** The trade-off function of a claim. */
export function tradeoff(claim: Claim): Tradeoff {
  switch (claim.kind) {
    case APPROXIMATE:
      return approximate(claim.epsilon, claim.delta);
    case "gaussian":
      return gaussian(claim.mu);
    case "laplace":
      return laplace(claim.epsilon);
    case STATED:
      return stated(claim.statements);
  }
}

/** An add/remove claim under replace-one adjacency: replacing a record is two steps. */
export function replaceOne(claim: Claim): Claim {
  if (claim.kind === STATED) return claim; // sent as it is compared
  const { kind, epsilon, delta, mu } = { epsilon: 0, delta: 0, mu: 0, ...claim };
  const twice = min(1, delta + timesExp(epsilon, delta));
  return { kind, epsilon: 2 * epsilon, delta: twice, mu: 2 * mu } as Claim;
}

/** Smallest FNR at this FPR. */
export function fnr(claim: Claim, fpr: number): number {
  return tradeoff(claim).fnr(fpr);
}

/** Largest TPR at this FPR: 1 - fnr, without cancellation. */
export function tpr(claim: Claim, fpr: number): number {
  return tradeoff(claim).tpr(fpr);
}

/** Largest TPR - FPR at this FPR. */
export function advantage(claim: Claim, fpr: number): number {
  return tradeoff(claim).advantage(fpr);
}

/** Largest positive predictive value at this FPR. */
export function ppv(claim: Claim, fpr: number, prior: number): number {
  return ppvOf(tradeoff(claim), fpr, prior);
}

/** Largest negative predictive value at this FPR. */
export function npv(claim: Claim, fpr: number, prior: number): number {
  return npvOf(tradeoff(claim), fpr, prior);
}

/** The trade-off curve, at most 256 vertices; straight pieces are exact. */
export function curve(claim: Claim): Polyline {
  return tradeoff(claim).vertices();
}

/** Outline of all (FPR, FNR) that the claim allows. */
export function region(claim: Claim): Polyline {
  return regionOf(tradeoff(claim), claim);
}

export function regionOf(f: Tradeoff, claim: Claim): Polyline {
  return outline(f.vertices(), claim.kind === APPROXIMATE ? claim.delta : 0);
}

/** Outline of the region without epsilon: no advantage above delta. */
export function totalVariationRegion(delta: number): Polyline {
  const flat = 1 - delta;
  return polyline([[0, flat], [flat, 0], [1, 0], [1, delta], [delta, 1], [0, 1]]);
}

/** TPR over FPR for log-log axes that begin at 1e-5. */
export function tail(claim: Claim): Polyline {
  return tailOf(tradeoff(claim));
}

/** Bounds on PPV and advantage over FPR, for a log-odds axis. */
export function riskBounds(claim: Claim, prior: number, ends: Decades): RiskBounds {
  return riskOf(tradeoff(claim), prior, ends);
}

/** The curve on log-odds axes. */
export function odds(claim: Claim, across: Decades, upwards: Decades): Polyline {
  return oddsOf(tradeoff(claim), across, upwards);
}

/** Whether an attack with these rates is compatible with the claim. */
export function admits(claim: Claim, fpr: number, fnr: number): boolean {
  if (claim.kind === APPROXIMATE) return regionAdmits(claim.epsilon, claim.delta, fpr, fnr);
  const f = tradeoff(claim);
  return f.fnr(fpr) - fnr <= SLACK && f.fnr(1 - fpr) - (1 - fnr) <= SLACK;
}
