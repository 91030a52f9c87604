/** Guesses about a secret; as dpviz/theory/guessing.py and dpviz/analysis/topics/guess.py. */

import { APPROXIMATE, STATED, type Claim, type Polyline, type Tradeoff } from "./claim";
import { exp, expm1, floor, log, log1p, max, min, sqrt } from "./exponentials";
import { density, logCdf } from "./normal";
import { epsilonAt } from "./profile";
import { spread } from "./risk";

const WHOLE = 1e-9;
const REACH = 9;
const STEPS_PER_UNIT = 32;
const PANELS = 2048;
const ROUNDING = 1e-12;
const MOST_SHIFT = 40;
const LOWEST = 1e-3;
const VERTICES = 121;
const COUNTS = [2, 3, 4, 5, 6, 8, 10, 14, 20, 30, 50, 70, 100, 200, 300, 500, 1000];

/** `n` candidates of prior `each`, and one more of prior `rest` unless that is 0. */
export interface Candidates {
  n: number;
  each: number;
  rest: number;
  total: number;
}

export function candidatesOf(kappa: number): Candidates {
  const n = floor(1 / kappa + WHOLE);
  const left = max(0, 1 - n * kappa);
  const rest = left > WHOLE * kappa ? left : 0;
  return { n, each: kappa, rest, total: n + Number(rest > 0) };
}

/** Success of the guess of the largest posterior; undefined of statements, which name no outputs. */
export function bestGuess(claim: Claim, kappa: number): number | undefined {
  const among = candidatesOf(kappa);
  switch (claim.kind) {
    case APPROXIMATE:
      return named(claim.epsilon, claim.delta, among);
    case "gaussian":
      return gaussian(claim.mu / sqrt(2), among);
    case "laplace":
      return laplace(claim.epsilon / 2, among);
    case STATED:
      return undefined;
  }
}

/** The epsilon and the delta that the claim implies. */
export function statementOf(claim: Claim, delta: number): { epsilon: number; delta: number } {
  if (claim.kind === APPROXIMATE) return claim;
  if (claim.kind === "laplace") return { epsilon: claim.epsilon, delta: 0 };
  return { epsilon: epsilonAt(claim, delta), delta };
}

/** A curve over the chance without the output, evenly in log, and its kinks. */
export function overKappa(of: (kappa: number) => number, kinks: number[] = []): Polyline {
  const x = spread(LOWEST, VERTICES, kinks);
  return { x, y: x.map(of) };
}

export const boundCurve = (f: Tradeoff): Polyline => overKappa((kappa) => f.tpr(kappa), f.kinks);

/** The best guesses among some numbers k of candidates, over 1/k. */
export function bestGuesses(claim: Claim): Polyline | null {
  const x = Float64Array.from(COUNTS, (k) => 1 / k);
  return claim.kind === STATED ? null : { x, y: x.map((kappa) => bestGuess(claim, kappa)!) };
}

function named(epsilon: number, delta: number, { n, each, rest, total }: Candidates): number {
  if (epsilon === Infinity || delta === 1) return 1;
  const wrong = exp(-epsilon);
  const guessed = n * each + (rest > 0 ? max(rest, each * wrong) : 0);
  return delta + ((1 - delta) * guessed) / (1 + (total - 1) * wrong);
}

function gaussian(shift: number, { n, each, rest }: Candidates): number {
  if (shift === 0 || shift === Infinity) return shift ? 1 : each;
  const gap = rest > 0 ? log(each / rest) / shift : Infinity;
  const below = (threshold: number, times: number): number =>
    times && threshold < Infinity ? exp(times * logCdf(threshold)) : 1;
  let right = 0;
  for (let i = -REACH * STEPS_PER_UNIT; i < REACH * STEPS_PER_UNIT; i++) {
    const z = i / STEPS_PER_UNIT;
    const own = n * each * below(z + shift, n - 1) * below(z + shift + gap, 1);
    const other = rest > 0 ? rest * below(z + shift - gap, n) : 0;
    right += (density(z) * (own + other)) / STEPS_PER_UNIT;
  }
  return share(right);
}

function laplace(given: number, { n, each, rest }: Candidates): number {
  if (given === 0 || given === Infinity) return given ? 1 : each;
  const shift = min(given, MOST_SHIFT);
  const gap = rest > 0 ? log(each / rest) : Infinity;
  const ends = [-shift, ...(gap < 2 * shift ? [shift - gap] : []), shift];
  const logCdfOf = (loss: number): number => log1p(-exp(-(loss + shift) / 2) / 2);
  let total = exp(-shift);
  for (let piece = 1; piece < ends.length; piece++) {
    const [low, high] = [ends[piece - 1]!, ends[piece]!];
    const isInside = high + gap <= shift * (1 + WHOLE);
    for (let i = 0; i <= PANELS; i++) {
      const loss = low + ((high - low) * i) / PANELS;
      const weight = i === 0 || i === PANELS ? 1 : i % 2 ? 4 : 2;
      const below = n * logCdfOf(loss) + (isInside ? logCdfOf(loss + gap) : 0);
      total += (weight * -expm1(below) * exp(loss) * (high - low)) / PANELS / 3;
    }
  }
  return share(each * total);
}

/** A quadrature of a probability; where it is 1 up to rounding, 1. */
const share = (found: number): number => (found > 1 - ROUNDING ? 1 : found);
