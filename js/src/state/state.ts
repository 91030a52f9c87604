/** The state of the kernel, the user's changes since, and everything that follows from both. */

import { APPROXIMATE, NO_GUARANTEE, type Tradeoff } from "../theory/claim";
import { admits, epsilonAt, impliedEpsilons, replaceOne, tradeoff, type Claim } from "../theory/closed_forms";
import { bestAttack, type BestAttack } from "../theory/costs";
import { max } from "../theory/exponentials";
import { approximate } from "../theory/approximate";
import { bestGuess, statementOf } from "../theory/guessing";
import type { Statements } from "../theory/stated";
import type { Numbers, Plain } from "./numbers";
import { peopleOf, type People } from "../theory/people";

/** As `closed_form_state` in dpviz/analysis/state/browser_state.py writes it. */
export interface State extends Numbers {
  /** The FPR of examples, which explain the claim alone. */
  claim: GivenClaim | null;
  fixed: string[];
  measured: Measured | null;
  ruler: { delta: number; largest: number };
  answer: KnownAudit | null;
  tails: Record<string, string>;
}

/** What the kernel's audit knows. */
export interface KnownAudit {
  state: AnswerState;
  /** What the scores are called: "losses" or "scores". */
  kind: string;
  /** The lower bound of epsilon at `delta`; null where none decides about the claim. */
  bound: Plain | null;
  delta: number | null;
  /** The most that this many records certify; null where it does not belong to the claim's delta. */
  ceiling: Plain | null;
  /** What the attack detects at FPR 1 %, in words and as a rate. */
  at_one_percent: string;
  tpr: number;
  /** The FPR at which the contradiction of the kernel's claim is clearest. */
  clearest: number | null;
}

export type AnswerState =
  | "contradicted"
  | "not contradicted"
  | "cannot decide"
  | "no claim"
  | "computing"
  | "promise";

export interface GivenClaim {
  kind: Claim["kind"];
  /** How far one record moves a sum, relative to what one record adds: 2 if it is replaced. */
  shift: number;
  /** Whether it is compared under replace-one adjacency, being for add/remove. */
  converted: boolean;
  parameters: Record<string, Plain>;
  /** What it states, as it is compared, where it is no noise: the kernel knows other numbers. */
  statements?: Statements;
  /** Its name, and the sentence of its conversion, with placeholders for its numbers. */
  called: string;
  conversion: string;
  /** Its name in the headline. */
  short: string;
}

/** Changes by the control that requests them; the kernel shows its errors beside it. */
export interface ChangeMessage {
  serial: number;
  changes: Record<string, Record<string, Plain | null>>;
}

/** Request a change on behalf of a control. */
export type RequestChanges = (key: string, changes: Changes) => void;

export interface Rates {
  fpr: number;
  fnr: number;
}

/** The attack at the selected FPR, and its largest TPR / FPR there and at FPR 1 %. */
export interface Measured extends Rates {
  ratio: Plain;
}

/** New values by name; parameters of the claim are called "claim.mu" and so on. */
export type Changes = Record<string, number | null>;

/** Everything that closed forms are drawn from. */
export interface Shown {
  delta: number;
  prior: number;
  fpr: number;
  guess: Guess;
  /** What each error costs the attacker, and the attack of least cost. */
  costs: { alarm: number; miss: number };
  best: BestAttack;
  given: GivenClaim;
  /** As it is compared, and its curve. */
  claim: Claim;
  f: Tradeoff;
  /** The claim where it has a delta of its own, and that delta; else the one chosen. */
  own: { epsilon: number; delta: number } | undefined;
  claimDelta: number;
  /** What happens to whole people, under the attack that was measured or the best one. */
  people: People;
  measured: Measured | null;
  ruler: State["ruler"];
  /** What the audit knows, and whether it was of this claim. */
  audit: KnownAudit | null;
  isAuditLate: boolean;
  /** Whether the attack was measured at another FPR than the selected one. */
  isAttackLate: boolean;
  /** The point in the region; undefined while only the kernel knows where it is. */
  point: Point | undefined;
}

/** A guess that is right with probability `kappa` without the output. */
export interface Guess {
  kappa: number;
  /** The largest probability with the output, and that of the best guess, where it is known. */
  bound: number;
  best: number | undefined;
  /** The largest probability that the epsilon and delta alone allow. */
  loose: number;
  epsilon: number;
  delta: number;
}

export interface Point extends Rates {
  source: "attack" | "claim" | "chosen";
  implied: number[];
  epsilon: number;
  admitted: boolean;
}

/** Whether anything is claimed: what allows every attack is no claim. */
export const isClaimed = ({ f }: Shown): boolean => f !== NO_GUARANTEE;

export const number = (value: Plain): number => (value === "inf" ? Infinity : value);

/** The state with the user's changes; an epsilon that is merely implied stays the kernel's. */
export function changed(state: State, changes: Changes): State {
  const claim = state.claim && { ...state.claim, parameters: { ...state.claim.parameters } };
  const next = { ...state, claim };
  for (const [name, value] of Object.entries(changes)) {
    const parameter = name.replace("claim.", "");
    if (claim && parameter in claim.parameters) claim.parameters[parameter] = value!;
    if (name === parameter) Object.assign(next, { [name]: value });
  }
  return next;
}

/** As `epsilon` of `ClaimPart` in dpviz/analysis/result.py. */
export function epsilonOf({ given, claim, claimDelta }: Shown): number {
  return "epsilon" in given.parameters && "epsilon" in claim ? claim.epsilon : epsilonAt(claim, claimDelta);
}

/** Everything that follows; undefined where the claim has no closed form here. */
export function shown(state: State, changes: Changes): Shown | undefined {
  const now = changed(state, changes);
  const { claim: given, delta, prior, fpr, measured, ruler } = now;
  if (!given) return undefined;
  if (given.statements && Object.keys(changes).some((name) => name.startsWith("claim."))) return undefined;
  const claim = given.converted ? replaceOne(claimOf(given)) : claimOf(given);
  const own = claim.kind === APPROXIMATE && "delta" in given.parameters ? claim : undefined;
  const claimDelta = own ? own.delta : delta;
  const f = tradeoff(claim);
  const point = pointOf(now, claim, f, claimDelta, "fpr" in changes);
  const people = peopleOf(f, prior, measured ?? { fpr });
  const isAttackLate = !!measured && "fpr" in changes;
  const isOfClaim = (name: string): boolean => name === "delta" || name.replace("claim.", "") in given.parameters;
  const isAuditLate = Object.keys(changes).some(isOfClaim);
  const numbers = { delta, prior, fpr, measured, ruler, audit: state.answer, isAuditLate };
  const costs = { alarm: now["cost_false_alarm"], miss: now["cost_miss"] };
  const best = bestAttack(claim, f, prior, costs);
  const guess = guessOf(claim, f, now.kappa, claimDelta);
  return { ...numbers, guess, costs, best, given, claim, f, own, claimDelta, people, isAttackLate, point };
}

function guessOf(claim: Claim, f: Tradeoff, kappa: number, delta: number): Guess {
  const statement = statementOf(claim, delta);
  const alone = approximate(statement.epsilon, statement.delta);
  return {
    ...{ kappa, bound: f.tpr(kappa), best: bestGuess(claim, kappa) },
    ...{ loose: alone.tpr(kappa), epsilon: statement.epsilon, delta: statement.delta },
  };
}

function pointOf(
  state: State,
  claim: Claim,
  f: Tradeoff,
  delta: number,
  isNewFpr: boolean,
): Point | undefined {
  const { measured, fpr } = state;
  // In a kernel that runs in the browser, None arrives as undefined.
  if (state.fnr != null) return judged({ fpr, fnr: state.fnr }, "chosen", claim, delta);
  if (!measured) return judged({ fpr, fnr: f.fnr(fpr) }, "claim", claim, delta, f.tpr(fpr));
  return isNewFpr ? undefined : judged(measured, "attack", claim, delta);
}

function judged(
  at: Rates,
  source: Point["source"],
  claim: Claim,
  delta: number,
  tpr?: number,
): Point {
  const implied = impliedEpsilons(at.fpr, at.fnr, delta, tpr);
  const epsilon = max(0, ...implied);
  return { ...at, source, implied, epsilon, admitted: admits(claim, at.fpr, at.fnr) };
}

export function claimOf({ kind, shift, parameters, statements = [] }: GivenClaim): Claim {
  const value = (name: string): number => number(parameters[name] ?? 0);
  const [epsilon, delta, noise] = [value("epsilon"), value("delta"), value("noise_multiplier")];
  return { kind, epsilon, delta, statements, mu: noise ? shift / noise : value("mu") } as Claim;
}
