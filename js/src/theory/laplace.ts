/** Laplace noise; as `LaplaceMechanism` in dpviz/theory/mechanisms/laplace.py. */

import { approximate } from "./approximate";
import { NO_GUARANTEE, polyline, type Tradeoff } from "./claim";
import { exp, expm1, log, timesExp } from "./exponentials";

const VERTICES = 254;

/** Two straight ends, slopes -e^epsilon and -e^-epsilon, and a hyperbola between them. */
export function laplace(epsilon: number): Tradeoff {
  if (epsilon === 0) return approximate(0, 0);
  if (epsilon === Infinity) return NO_GUARANTEE;
  const shrink = exp(-epsilon);
  const gain = -expm1(-epsilon);
  const steep = shrink / 2;
  const logMiddle = (fpr: number): number => -epsilon - log(4 * fpr);
  return {
    fnr(fpr) {
      if (fpr > 0.5) return shrink * (1 - fpr);
      return fpr > steep ? exp(logMiddle(fpr)) : 1 - timesExp(epsilon, fpr);
    },
    tpr(fpr) {
      if (fpr > 0.5) return gain + shrink * fpr;
      return fpr > steep ? -expm1(logMiddle(fpr)) : timesExp(epsilon, fpr);
    },
    advantage(fpr) {
      if (fpr > 0.5) return gain * (1 - fpr);
      if (fpr <= steep) return gain * timesExp(epsilon, fpr);
      // Two forms of 1 - a - e^-s / (4 a): the first cancels for small s, the second else.
      return epsilon > 1
        ? 1 - fpr - shrink / (4 * fpr)
        : (gain / 4 - (fpr - 0.5) ** 2) / fpr;
    },
    limit: epsilon,
    kinks: [steep, 0.5].filter((x) => x > 0),
    vertices() {
      const at = (i: number): number => exp((-epsilon * i) / (VERTICES - 1)) / 2;
      const middle = Array.from(
        { length: VERTICES },
        (_, i) => [at(VERTICES - 1 - i), at(i)] as const,
      );
      return polyline([[0, 1], ...middle, [1, 0]]);
    },
  };
}
