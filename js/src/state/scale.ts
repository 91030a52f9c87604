/** The slider of a number: steps through a table of values that Python sends. */

import { abs, max, min } from "../theory/exponentials";
import { number } from "./state";
import { exact, numberOf } from "../text/number_format";

export interface Scale {
  /** The value at each step, ascending. */
  values: number[];
}

export interface Range {
  /** The name of the number as it begins a sentence: "Prior p". */
  name: string;
  least: number;
  most: number | "inf";
  /** The condition in an error: "from 0 to 1". */
  condition: string;
}

/** The nearest value in a range. */
export const clamp = (value: number, { low, high }: { low: number; high: number }): number =>
  min(max(value, low), high);

/** The step with the nearest value; one beyond the slider's range stands at its end. */
export const stepOf = (value: number, { values }: Scale): number =>
  values.filter((each, step) => step > 0 && (values[step - 1]! + each) / 2 < value).length;

const DECIMAL_COMMA = /^[+-]?\d*,\d+\s*%?$/;

/** Whether a text in digits states a number that is too large for a float: it is not infinite. */
const isTooLarge = (text: string): boolean =>
  /\d/.test(text) && abs(numberOf(text.trim().replace(/\s*%$/, "")) ?? 0) === Infinity;

/** A number as people type it: 0.05, 5 %, 1e-5, ∞; undefined where it is none. */
export function entered(text: string): number | undefined {
  if (isTooLarge(text)) return undefined;
  const trimmed = text.trim();
  const found = numberOf(trimmed.replace(/\s*%$/, "").replace("∞", "inf"));
  if (!trimmed.endsWith("%") || !Number.isFinite(found)) return found;
  // Shifted as decimals: 2.72 / 100 is not the float nearest to 0.0272.
  const [mantissa, power = "0"] = trimmed.replace(/[_%\s]/g, "").split(/e/i) as [string, string];
  return Number(`${mantissa}e${Number(power) - 2}`);
}

/** What was typed, as a legal number; or the error, in dpviz/analysis/words.py's words. */
export function typed(text: string, { name, least, most, condition }: Range): number | string {
  const [value, trimmed] = [entered(text), text.trim()];
  if (value !== undefined && value >= least && value <= number(most)) return value;
  if (DECIMAL_COMMA.test(trimmed)) return `Write ${trimmed.replace(",", ".")} with a point.`;
  if (isTooLarge(trimmed)) return `${trimmed} is too large a number.`;
  const rule = value === undefined ? "a number" : condition;
  return `${name} must be ${rule} (you typed ${value === undefined ? trimmed || "nothing" : exact(value)}).`;
}
