/** Exponentials that neither overflow nor cancel. */

export const { abs, ceil, exp, expm1, floor, hypot, log, log10, log1p, max, min, round, sqrt } = Math;

/** e^epsilon * rate for rate >= 0, where e^epsilon itself may overflow; 0 stays 0. */
export function timesExp(epsilon: number, rate: number): number {
  // In two steps, each finite: the smallest rate times e^1418 is far above 1 already.
  const half = exp(min(epsilon / 2, 709));
  return rate * half * half;
}

/** 1 / (1 + e^-x), with its digits in the lower tail. */
export function expit(x: number): number {
  const small = exp(-abs(x));
  return (x < 0 ? small : 1) / (1 + small);
}
