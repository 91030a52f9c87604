/** The attack of least expected cost; as `best_attack` in dpviz/theory/risk.py. */

import { APPROXIMATE, STATED, type Claim, type Tradeoff } from "./claim";
import { exp, expit, log, max, min } from "./exponentials";
import { cdf } from "./normal";
import { deltaAt } from "./profile";
import { fprOfStatedLoss } from "./stated";

export interface BestAttack {
  fpr: number;
  fnr: number;
  cost: number;
  blindCost: number;
  gamma: number;
}

export function bestAttack(
  claim: Claim,
  f: Tradeoff,
  prior: number,
  costs: { alarm: number; miss: number },
): BestAttack {
  const [alarm, miss] = [(1 - prior) * costs.alarm, prior * costs.miss];
  const logGamma = log(alarm) - log(miss);
  const fpr = fprOfLoss(claim, logGamma);
  const right = deltaAt(claim, logGamma);
  return {
    ...{ fpr, fnr: fpr > 0 ? f.fnr(fpr) : 1 - right, gamma: exp(logGamma) },
    // Of an attack that calls everybody a member exactly, not up to rounding.
    cost: fpr === 1 ? alarm : miss * (1 - right),
    blindCost: min(alarm, miss),
  };
}

/** The FPR of "member where the privacy loss is at least this". */
export function fprOfLoss(claim: Claim, loss: number): number {
  switch (claim.kind) {
    case APPROXIMATE: {
      const { epsilon, delta } = claim;
      if (epsilon === Infinity || delta === 1) return loss === -Infinity ? 1 : 0;
      if (loss > epsilon) return 0;
      return (1 - delta) * (loss > -epsilon ? expit(-epsilon) : 1);
    }
    case "gaussian":
      if (claim.mu === 0 || claim.mu === Infinity) return loss <= (claim.mu ? -Infinity : 0) ? 1 : 0;
      return cdf(-loss / claim.mu - claim.mu / 2);
    case "laplace": {
      const s = claim.epsilon;
      if (loss > s || s === Infinity) return 0;
      return loss <= -s ? 1 : exp(-(s + min(max(loss, -s), s)) / 2) / 2;
    }
    case STATED:
      return fprOfStatedLoss(claim.statements, loss);
  }
}
