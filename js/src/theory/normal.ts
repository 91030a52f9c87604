/**
 * The standard Normal distribution, with relative accuracy far into both tails.
 *
 * Near 0 the cdf is 1/2 + phi(x) (x + x^3/3 + x^5/(3 5) + ...), all terms of one sign. Beyond, it
 * comes from Mills' ratio R(x) = (1 - Phi(x)) / phi(x) = 1 / (x + 1 / (x + 2 / (x + 3 / ...))).
 * Quantiles are found by Newton's method from the side where it cannot overshoot.
 */

import { abs, ceil, exp, expm1, log, log1p, max, sqrt } from "./exponentials";

const NEAR = 2;
const LOG_ROOT_TWO_PI = log(2 * Math.PI) / 2;
const NEWTON_STEPS = 50;

export function density(x: number): number {
  return exp((-x * x) / 2) / sqrt(2 * Math.PI);
}

export function logDensity(x: number): number {
  return (-x * x) / 2 - LOG_ROOT_TWO_PI;
}

/** Phi(x) - 1/2. */
export function central(x: number): number {
  if (abs(x) > NEAR) return Math.sign(x) * (0.5 - cdf(-abs(x)));
  let sum = 0;
  for (let term = x, odd = 1; sum + term !== sum; odd += 2, term *= (x * x) / odd) sum += term;
  return density(x) * sum;
}

export function erf(x: number): number {
  return 2 * central(x * Math.SQRT2);
}

export function cdf(x: number): number {
  if (x > NEAR) return 1 - cdf(-x);
  return x < -NEAR ? density(x) * mills(-x) : 0.5 + central(x);
}

/** Log of the cdf, down to x = -1e150. */
export function logCdf(x: number): number {
  if (x > NEAR) return log1p(-cdf(-x));
  return x < -NEAR ? logDensity(x) + log(mills(-x)) : log(cdf(x));
}

/** R(x) = (1 - Phi(x)) / phi(x). */
export function mills(x: number): number {
  return x > NEAR ? 1 / (x + fraction(x)) : cdf(-x) / density(x);
}

/** -R'(x) = 1 - x R(x) > 0. */
export function millsSlope(x: number): number {
  return x > NEAR ? fraction(x) * mills(x) : 1 - x * mills(x);
}

/** 1 / (x + 2 / (x + 3 / ...)) for x > 0, by as many terms as 53 bits need. */
function fraction(x: number): number {
  let value = 0;
  for (let n = ceil(8 + 400 / (x * x)); n > 0; n--) value = n / (x + value);
  return value;
}

/** Phi(a + width) - Phi(a) for width >= 0, with its digits where the width is small. */
export function between(a: number, width: number): number {
  const b = a + width;
  if (a > 0) return between(-b, width);
  return width * max(1, -a) < 2 ? integral(density, a, width) : cdf(b) - cdf(a);
}

export function quantile(p: number): number {
  const q = p - 0.5;
  if (abs(q) > 0.3) return q < 0 ? quantileOfLog(log(p)) : -quantileOfLog(log(1 - p));
  return newton(q / density(0), (z) => (q - central(z)) / density(z));
}

/** The quantile of a probability given by its log. */
export function quantileOfLog(logP: number): number {
  if (logP > -Math.LN2) return -quantileOfLog(log(-expm1(logP)));
  if (logP === -Infinity) return logP;
  return newton(-sqrt(-2 * logP), (z) => {
    const ratio = mills(-z);
    return (logP - logDensity(z) - log(ratio)) * ratio;
  });
}

/** Newton's method: after a step of relative size 1e-10 the next, about its square, is lost. */
export function newton(start: number, step: (x: number) => number): number {
  let x = start;
  for (let i = 0; i < NEWTON_STEPS; i++) {
    const change = step(x);
    x += change;
    if (!(abs(change) > 1e-10 * abs(x))) break;
  }
  return x;
}

const PANELS = 32;

/** Gauss and Legendre's rule of 3 points in each panel, for integrands as smooth as those here. */
export function integral(f: (x: number) => number, a: number, width: number): number {
  const half = width / PANELS / 2;
  let sum = 0;
  for (let i = 0; i < PANELS; i++) {
    const middle = a + half * (2 * i + 1);
    const aside = half * sqrt(0.6);
    sum += 5 * f(middle - aside) + 8 * f(middle) + 5 * f(middle + aside);
  }
  return (sum * half) / 9;
}
