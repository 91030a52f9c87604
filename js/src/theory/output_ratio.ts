/** log Q/P over the outputs of a claim; as dpviz/analysis/topics/density_ratio.py. */

import { APPROXIMATE, NO_GUARANTEE, STATED, type Claim, type Tradeoff } from "./claim";
import { cdf } from "./normal";

/** The outputs of a claim: bars of width 1 from 0 on with names, or numbers. */
export interface OutputRatio {
  /** What the outputs are called, as in dpviz/theory/outputs. */
  label: string;
  names?: string[];
  span: readonly [number, number];
  /** Corners of the log ratio, which is straight between them. */
  corners: (readonly [number, number])[];
}

/** How far from 0 noise is drawn, in its unit; as `reach` of both mechanisms. */
const GAUSSIAN_REACH = 4;
const LAPLACE_REACH = 5.5;

const bars = (label: string, names: string[], ratios: number[]): OutputRatio => ({
  ...{ label, names, span: [0, names.length] },
  corners: ratios.flatMap((ratio, i) => [[i, ratio] as const, [i + 1, ratio] as const]),
});

/** Undefined of statements, which name no outputs. */
export function outputRatio(claim: Claim, f: Tradeoff): OutputRatio | undefined {
  if (claim.kind === STATED) return undefined;
  if (f === NO_GUARANTEE) return bars("output", ["out", "in"], [-Infinity, Infinity]);
  switch (claim.kind) {
    case APPROXIMATE: {
      const [names, ratios] = [["“out”", "“in”"], [-claim.epsilon, claim.epsilon]];
      if (claim.delta === 0) return bars("answer", names, ratios);
      const all = ["proof: out", ...names, "proof: in"];
      return bars("answer", all, [-Infinity, ...ratios, Infinity]);
    }
    case "gaussian": {
      const { mu } = claim;
      const [low, high] = [-GAUSSIAN_REACH, GAUSSIAN_REACH + mu];
      const end = mu * (GAUSSIAN_REACH + mu / 2);
      return {
        ...{ label: "output (unit: standard deviation of the noise)", span: [low, high] },
        corners: [[low, -end], [high, end]],
      };
    }
    case "laplace": {
      const { epsilon } = claim;
      const [low, high] = [-LAPLACE_REACH, LAPLACE_REACH + epsilon];
      return {
        ...{ label: "output (unit: scale of the noise)", span: [low, high] },
        corners: [[low, -epsilon], [0, -epsilon], [epsilon, epsilon], [high, epsilon]],
      };
    }
  }
}

/** The probability that a member's output has a ratio outside e^-epsilon to e^epsilon. */
export function beyond(claim: Claim, f: Tradeoff, epsilon: number): number {
  if (f === NO_GUARANTEE) return epsilon === Infinity ? 0 : 1;
  switch (claim.kind) {
    case APPROXIMATE:
      return claim.delta;
    case "gaussian": {
      const { mu } = claim;
      return mu && cdf(mu / 2 - epsilon / mu) + cdf(-mu / 2 - epsilon / mu);
    }
    case "laplace":
    case STATED:
      return 0; // at its own epsilon; of statements nothing is said
  }
}
