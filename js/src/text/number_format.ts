/** Number formats, identical to those of dpviz/number_format.py. */

import { ceil, floor, max, min } from "../theory/exponentials";

/** A few significant digits (3 to 15): 2.79, 1e-5, 12000, ∞; a whole number is exact; "undefined". */
export function short(value: number, digits = 3): string {
  if (Number.isNaN(value)) return "undefined";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  const near = rounded(value, digits);
  if (near !== value && Number.isSafeInteger(value)) return exact(value);
  return plain(near, max(digits, 6));
}

/** The shortest text that parses to the same float, in Python too: 0.1, 1e-5, inf. */
export function exact(value: number): string {
  if (Number.isFinite(value)) return plain(value, 16);
  return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

/** A rate as a percentage: three significant digits, and 100 only when it is 1. */
export function percent(rate: number): string {
  if (0.999 < rate && rate < 1) return `${min(rounded(rate * 100, 5), 99.999)} %`;
  return Number.isNaN(rate) ? short(rate) : `${short(rate * 100)} %`;
}

/** A text that does not break in "ε ≥ 1 %" nor after "non-" of "non-member". */
export const unbroken = (text: string): string =>
  text
    .replace(/ (?=[%≈≤≥])|(?<=[≈≤≥]|[εδμσp] =) |(?<=[εδμσp]) (?==)/g, "\u00a0")
    .replace(/(non-)(?=member)/gi, "$1\u2060");

/** Three significant digits, rounded up: an upper bound must hold as printed. */
export function upper(value: number): number {
  return directed(value, ceil, -1e-12);
}

/** A rate in percent, rounded up; more digits show that a rate below 1 is not 100 %. */
export function percentAtMost(rate: number): string {
  const shown = [3, 4, 5].map((digits) => directed(rate, ceil, -1e-12, digits));
  return percent(shown.find((value) => value < 1) ?? upper(rate));
}

/** Three significant digits, rounded down, for a lower bound. */
export function lower(value: number): number {
  return directed(value, floor, 1e-12);
}

/** A lower bound: three digits, or as many as show that it is larger than `limit`, if it is. */
export function shortAbove(value: number, limit: number): string {
  for (let digits = 3; digits < 12; digits++) {
    const shown = directed(value, floor, 1e-12, digits);
    if (shown > limit || value <= limit) return short(shown, digits);
  }
  return exact(value);
}

/** Round to a few digits of the rate, or of its complement near 1. */
export function tidyRate(rate: number, digits = 3): number {
  if (rate <= 0.5) return rounded(rate, digits);
  const near = 1 - rounded(1 - rate, digits);
  return near < 1 - 1e-12 ? +near.toFixed(15) : near; // not 1 - 0.443 = 0.5569999999999999
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const NAMED: Record<string, number> = { inf: Infinity, infinity: Infinity, nan: NaN };

/** The number that Python's `float` parses from a text; undefined where it raises. */
export function numberOf(text: string): number | undefined {
  const trimmed = text.trim().replace(/(\d)_(?=\d)/g, "$1");
  if (DECIMAL.test(trimmed)) return Number(trimmed);
  const named = NAMED[trimmed.replace(/^[+-]/, "").toLowerCase()];
  return named && trimmed.startsWith("-") ? -named : named;
}

/** To significant digits, exact ties to the even digit; `toPrecision` rounds them up. */
function rounded(value: number, digits: number): number {
  if (value === 0) return value; // -0 too
  // 25 more digits than requested identify a tie: no other double is that near one.
  const [long, power] = value.toExponential(digits + 24).split("e") as [string, string];
  const kept = long.slice(0, -25);
  const isTie = /^50*$/.test(long.slice(-25)) && /[02468]\.?$/.test(kept);
  return isTie ? Number(`${kept}e${power}`) : Number(value.toPrecision(digits));
}

/** Shortest digits, with an exponent below 1e-4 and from 10^digits on. */
function plain(value: number, digits: number): string {
  if (Object.is(value, -0)) return "-0";
  const text = value.toExponential();
  const size = Number(text.split("e")[1]);
  return size < -4 || size >= digits ? text.replace("+", "") : String(value);
}

/** A number >= 0; the slack keeps 0.5 computed as 0.5000000000000001 from 0.501. */
function directed(
  value: number,
  whole: (x: number) => number,
  slack: number,
  digits = 3,
): number {
  if (!(value >= 1e-300) || !Number.isFinite(value)) return value;
  const size = +value.toExponential().split("e")[1]!;
  const unit = Number(`1e${size + 1 - digits}`);
  return rounded(whole((value / unit) * (1 + slack)) * unit, digits);
}
