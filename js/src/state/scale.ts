/** The slider of a number: whole steps on a scale, as in dpviz/analysis/slider.py. */

import { log10, max, min, round } from "./exponentials";
import { number } from "./state";
import { numberOf, pythonRepr, tidyRate } from "./wording";

export interface Scale {
  scale: "linear" | "log10" | "log-odds";
  step: number;
  /** Steps from 0 on the scale to the left end of the slider; `last` steps fit in it. */
  first: number;
  last: number;
  stopAtZero: boolean;
}

export interface Range {
  /** What an error calls the number. */
  name: string;
  least: number;
  most: number | "inf";
  /** What an error says of it: "in [0, 1]". */
  condition: string;
}

/** To the unit of an axis in log-odds, and back. */
export const decades = (rate: number): number => log10(rate) - log10(1 - rate);
export const rate = (decade: number): number => 1 / (1 + 10 ** -decade);

/** The nearest value in a range. */
export const clamp = (value: number, { low, high }: { low: number; high: number }): number =>
  min(max(value, low), high);

/** The value at a step, to three digits: a slider is not more exact than that. */
export function valueAt(step: number, of: Scale): number {
  if (step === 0 && of.stopAtZero) return 0;
  const position = (step + of.first) * of.step;
  if (of.scale === "linear") return Number(position.toFixed(10));
  return tidyRate(of.scale === "log10" ? 10 ** position : rate(position));
}

/** The step nearest to a value; one beyond the slider's range stands at its end. */
export function stepOf(value: number, of: Scale): number {
  const position =
    of.scale === "linear" ? value : of.scale === "log10" ? log10(value) : decades(value);
  return clamp(round(position / of.step - of.first), { low: 0, high: of.last });
}

/** What was typed, as a legal number; or the error, in the words of dpviz.checks. */
export function typed(text: string, { name, least, most, condition }: Range): number | string {
  const value = numberOf(text);
  if (value === undefined) return `${name} must be a number, got '${text}'`;
  if (value >= least && value <= number(most)) return value;
  return `${name} must be ${condition}, got ${pythonRepr(value)}`;
}
