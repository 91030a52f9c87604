/**
 * The numbers of a spec that the browser draws from.
 *
 * Made by tests/parity/spec_numbers.py from dpviz/analysis/spec.py, which explains each field.
 */

/** Numbers as JSON writes them: infinity is the text "inf". */
export type Plain = number | "inf";

export interface Numbers {
  epsilon: Plain;
  delta: number;
  prior: number;
  fpr: number;
  fnr: number | null;
  kappa: number;
  cost_false_alarm: number;
  cost_miss: number;
}

export const NUMBERS: (keyof Numbers)[] = [
  "epsilon",
  "delta",
  "prior",
  "fpr",
  "fnr",
  "kappa",
  "cost_false_alarm",
  "cost_miss",
];
