/** Privacy profiles: which (epsilon, delta) a claim satisfies. */

import { APPROXIMATE, STATED, type Claim } from "./claim";
import { exp, expit, expm1, log, log1p, max, min } from "./exponentials";
import {
  cdf, central, density, integral, logDensity, mills, millsSlope, newton, quantileOfLog,
} from "./normal";
import { deltaOfStated, epsilonOfStated } from "./stated";

/** The smallest delta that holds with this epsilon, which may be negative. */
export function deltaAt(claim: Claim, at: number): number {
  switch (claim.kind) {
    case APPROXIMATE:
      return deltaOfApproximate(claim.epsilon, claim.delta, at);
    case "gaussian":
      return deltaOfGaussian(claim.mu, at);
    case "laplace":
      if (claim.epsilon === Infinity) return 1;
      return -expm1(min(at > -claim.epsilon ? (at - claim.epsilon) / 2 : at, 0));
    case STATED:
      return deltaOfStated(claim.statements, at);
  }
}

/** Smallest epsilon >= 0 that holds with this delta; Infinity if none does. */
export function epsilonAt(claim: Claim, at: number): number {
  switch (claim.kind) {
    case APPROXIMATE:
      return epsilonOfApproximate(claim.epsilon, claim.delta, at);
    case "gaussian":
      return epsilonOfGaussian(claim.mu, at);
    case "laplace":
      if (claim.epsilon === Infinity) return at === 1 ? 0 : Infinity;
      return max(0, claim.epsilon + 2 * log1p(-at));
    case STATED:
      return epsilonOfStated(claim.statements, at);
  }
}

function deltaOfApproximate(epsilon: number, delta: number, at: number): number {
  if (epsilon === Infinity || delta === 1) return 1;
  const onDiagonal = -expit(epsilon) * expm1(min(at - epsilon, 0));
  const onAxis = -expm1(min(at, 0));
  return delta + (1 - delta) * max(onDiagonal, onAxis);
}

function epsilonOfApproximate(epsilon: number, delta: number, at: number): number {
  if (epsilon === Infinity || delta === 1) return at === 1 ? 0 : Infinity;
  const excess = (at - delta) / ((1 - delta) * expit(epsilon));
  if (excess < 0) return Infinity;
  return excess < 1 ? max(0, epsilon + log1p(-min(excess, 1 - 1e-16))) : 0;
}

function deltaOfGaussian(mu: number, at: number): number {
  if (mu === 0) return -expm1(min(at, 0));
  if (mu === Infinity) return 1;
  // delta(-e) = 1 - e^-e + e^-e delta(e), as the curve is symmetric.
  if (at < 0) return -expm1(at) + exp(at) * deltaOfGaussian(mu, -at);
  return exp(min(0, logDelta(mu, at)));
}

function epsilonOfGaussian(mu: number, at: number): number {
  if (mu === 0) return 0;
  if (mu === Infinity) return at === 1 ? 0 : Infinity;
  if (at === 0) return Infinity;
  return at < 2 * central(mu / 2) ? epsilonOfLog(mu, log(at)) : 0;
}

/**
 * Log of delta at epsilon >= 0.
 *
 * With x = epsilon / mu - mu / 2 and y = x + mu, delta = Phi(-x) - e^epsilon Phi(-y), which is
 * phi(x) (R(x) - R(y)) for Mills' ratio R, hence phi(x) times an integral of positive terms.
 */
export function logDelta(mu: number, epsilon: number): number {
  const x = epsilon / mu - mu / 2;
  const y = epsilon / mu + mu / 2;
  if (x === Infinity) return -Infinity;
  if (mu < max(1, x)) return logDensity(x) + log(integral(millsSlope, x, mu));
  if (x > 0) return logDensity(x) + log(mills(x) - mills(y));
  return log(cdf(-x) - density(x) * mills(y));
}

/** The profile is log-concave, so Newton's method stays on the side of too large an epsilon. */
function epsilonOfLog(mu: number, logAt: number): number {
  // Pr[L > epsilon] = delta is sufficient, hence an upper end.
  const high = (mu * mu) / 2 + mu * max(0, -quantileOfLog(logAt));
  const found = newton(high, (epsilon) => {
    const value = logDelta(mu, epsilon);
    const logSlope = logDensity(epsilon / mu - mu / 2) + log(mills(epsilon / mu + mu / 2)) - value;
    return (value - logAt) / exp(logSlope);
  });
  // Squares beyond the largest float leave the upper end.
  return Number.isNaN(found) ? min(high, Number.MAX_VALUE) : max(0, found);
}
