/** The slider of a number: steps through a table of values that Python sends. */

import { log10, max, min } from "../theory/exponentials";
import { number } from "./state";
import { numberOf, pythonRepr } from "../text/number_format";

export interface Scale {
  /** The value at each step, ascending. */
  values: number[];
}

export interface Range {
  /** The name of the number in an error. */
  name: string;
  least: number;
  most: number | "inf";
  /** The condition in an error: "in [0, 1]". */
  condition: string;
}

/** To the coordinate of a log-odds axis, and back. */
export const decades = (rate: number): number => log10(rate) - log10(1 - rate);
export const rate = (decade: number): number => 1 / (1 + 10 ** -decade);

/** The nearest value in a range. */
export const clamp = (value: number, { low, high }: { low: number; high: number }): number =>
  min(max(value, low), high);

/** The step with the nearest value; one beyond the slider's range stands at its end. */
export const stepOf = (value: number, { values }: Scale): number =>
  values.filter((each, step) => step > 0 && (values[step - 1]! + each) / 2 < value).length;

/** What was typed, as a legal number; or the error, in the words of dpviz.checks. */
export function typed(text: string, { name, least, most, condition }: Range): number | string {
  const value = numberOf(text);
  if (value === undefined) return `${name} must be a number, got '${text}'`;
  if (value >= least && value <= number(most)) return value;
  return `${name} must be ${condition}, got ${pythonRepr(value)}`;
}
