/** The mu-GDP claim, T(N(0, 1), N(mu, 1)); as `GaussianDP` in dpviz/theory/mechanisms. */

import { approximate } from "./approximate";
import { NO_GUARANTEE, polyline, type Tradeoff } from "./claim";
import { max } from "./exponentials";
import { between, cdf, quantile } from "./normal";

const VERTICES = 254;
const WIDEST = 5;

export function gaussian(mu: number): Tradeoff {
  if (mu === 0) return approximate(0, 0);
  if (mu === Infinity) return NO_GUARANTEE;
  return {
    fnr: (fpr) => cdf(-quantile(fpr) - mu),
    tpr: (fpr) => cdf(quantile(fpr) + mu),
    advantage: (fpr) => between(quantile(fpr), mu),
    limit: Infinity,
    kinks: [],
    vertices() {
      // By the threshold z: FPR = Phi(z), FNR = Phi(-mu - z), each other's mirror image about
      // -mu/2. Where either is below Phi(-WIDEST) the curve coincides with the axes.
      const widest = max(0, WIDEST - mu / 2);
      const at = (i: number): number => cdf(-mu / 2 + widest * ((2 * i) / (VERTICES - 1) - 1));
      const fpr = Array.from({ length: VERTICES }, (_, i) => at(i));
      const middle = fpr.map((x, i) => [x, fpr[VERTICES - 1 - i]!] as const);
      return polyline([[0, 1], ...middle, [1, 0]]);
    },
  };
}
