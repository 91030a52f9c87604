/** The (epsilon, delta)-DP claim; as `ApproximateDP` in dpviz/theory/mechanisms/claims.py. */

import { NO_GUARANTEE, polyline, type Tradeoff } from "./claim";
import { exp, expit, expm1, max, min, timesExp } from "./exponentials";

/** f(a) = max(0, 1 - delta - e^epsilon a, e^-epsilon (1 - delta - a)). */
export function approximate(epsilon: number, delta: number): Tradeoff {
  if (epsilon === Infinity || delta === 1) return NO_GUARANTEE;
  const flat = 1 - delta;
  const kink = flat * expit(-epsilon);
  const shrink = exp(-epsilon);
  const gain = -expm1(-epsilon);
  return {
    fnr(fpr) {
      const shallow = shrink * (flat - fpr);
      // Above the kink the steep line is the lower one, but rounds worse.
      const steep = fpr < kink || fpr === 0 ? flat - timesExp(epsilon, fpr) : 0;
      return max(0, steep, shallow);
    },
    tpr: (fpr) =>
      fpr <= kink ? delta + timesExp(epsilon, fpr) : min(1, gain + shrink * (fpr + delta)),
    advantage(fpr) {
      if (fpr >= flat) return 1 - fpr;
      return fpr <= kink
        ? delta + gain * timesExp(epsilon, fpr)
        : (1 - fpr) * gain + shrink * delta;
    },
    limit: delta > 0 ? Infinity : epsilon,
    kinks: [kink, flat].filter((x) => 0 < x && x < 1),
    vertices: () =>
      polyline([
        [0, flat],
        ...(epsilon === 0 ? [] : [[kink, kink] as const]),
        [flat, 0],
        [1, 0],
      ]),
  };
}
