/** Binomial probabilities, and exact (Clopper-Pearson) limits of a rate. */

import { abs, exp, floor, log, log1p, max, min } from "./exponentials";

/** P(X = k) for k = 0, ..., n: ratios of neighbours from the mode on, so that no digits cancel. */
export function binomialPmf(n: number, p: number): Float64Array {
  const pmf = new Float64Array(n + 1);
  const mode = min(n, floor((n + 1) * p));
  pmf[mode] = 1;
  let total = 1;
  for (let k = mode; k < n && pmf[k]! > 0; k++) total += pmf[k + 1] = (pmf[k]! * (n - k) * p) / ((k + 1) * (1 - p));
  for (let k = mode; k > 0 && pmf[k]! > 0; k--) total += pmf[k - 1] = (pmf[k]! * k * (1 - p)) / ((n - k + 1) * p);
  return pmf.map((each) => each / total);
}

/** Limits of the rate of which x of n were counted; each is missed with probability `level`. */
export function exactLimits(x: number, n: number, level: number): [low: number, high: number] {
  const upper = (count: number): number => (count >= n ? 1 : quantile(count + 1, n - count, level));
  return [1 - upper(n - x), upper(x)];
}

/** The rate at which a beta variable exceeds it with probability `level`, by bisection of log odds. */
function quantile(a: number, b: number, level: number): number {
  let [low, high] = [-745, 745];
  for (let i = 0; i < 64; i++) {
    const middle = (low + high) / 2;
    if (upperTail(a, b, middle) > level) low = middle;
    else high = middle;
  }
  return 1 / (1 + exp(-(low + high) / 2));
}

/** P(beta(a, b) > x), where `odds` is the log odds of x. */
function upperTail(a: number, b: number, odds: number): number {
  const [x, rest] = [1 / (1 + exp(-odds)), 1 / (1 + exp(odds))];
  const front = exp(a * log(x) + b * log(rest) - logBeta(a, b));
  if (x < (a + 1) / (a + b + 2)) return 1 - (front * fraction(a, b, x)) / a;
  return (front * fraction(b, a, rest)) / b;
}

/** Lentz's continued fraction of the incomplete beta function. */
function fraction(a: number, b: number, x: number): number {
  const tiny = 1e-300;
  let c = 1;
  let d = 1 / (1 - ((a + b) * x) / (a + 1) || tiny);
  let value = d;
  for (let i = 1; i < 10_000; i++) {
    const even = (i * (b - i) * x) / ((a + 2 * i - 1) * (a + 2 * i));
    const odd = (-(a + i) * (a + b + i) * x) / ((a + 2 * i) * (a + 2 * i + 1));
    let factor = 1;
    for (const step of [even, odd]) {
      d = 1 / (1 + step * d || tiny);
      c = 1 + step / c || tiny;
      factor = c * d;
      value *= factor;
    }
    if (abs(factor - 1) < 1e-15) break;
  }
  return value;
}

/** Log of the beta function of whole numbers: the corrections of Stirling's formula do not cancel. */
function logBeta(a: number, b: number): number {
  const [small, large] = [min(a, b), max(a, b)];
  if (small < 30) {
    let sum = -log(large);
    for (let i = 1; i < small; i++) sum += log(i) - log(large + i);
    return sum;
  }
  const rest = (x: number): number => 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5) - 1 / (1680 * x ** 7);
  const sum = a + b;
  const main = (small - 0.5) * log(small / sum) - (large - 0.5) * log1p(small / large) - 0.5 * log(sum);
  return main + 0.5 * log(2 * Math.PI) + rest(a) + rest(b) - rest(sum);
}
