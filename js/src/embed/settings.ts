/** The options of an embedded view, checked: each error is a sentence. */

import { typed } from "../state/scale";
import { TEMPLATES } from "./templates";

export interface Settings {
  epsilon: number;
  delta: number;
  /** Of a Gaussian claim, in place of epsilon. */
  mu: number | undefined;
  prior: number;
  /** Undefined: that of the attack's best cut, or 1 % without scores. */
  fpr: number | undefined;
  /** Of a point that the user chose in the region. */
  fnr: number | null;
}

export const DEFAULTS: Settings = { epsilon: 1, delta: 1e-5, mu: undefined, prior: 0.5, fpr: undefined, fnr: null };

/** The numbers that attributes and options have. */
export const NUMBERS = ["epsilon", "delta", "mu", "prior", "fpr"] as const;
export type NumberName = (typeof NUMBERS)[number];
export const OPTIONS: readonly string[] = [...NUMBERS, "scores"];

/** The field of a slider: parameters of a claim have a prefix. */
export const fieldOf = (name: string): string => (name === "mu" ? "claim.mu" : name);
export const nameOf = (field: string): string => field.replace("claim.", "");

/** A number as given, in range; or the sentence that says what is wrong. */
export function checked(name: NumberName, given: unknown): number | string {
  const text = String(given).replace("Infinity", "inf");
  return typed(text, TEMPLATES.controls[fieldOf(name)]!);
}

/** The sentences about names that are no options. */
export function unknownNames(names: Iterable<string>): string[] {
  return [...names]
    .filter((name) => !OPTIONS.includes(name))
    .map((name) => `dpviz has no option “${name}”: the options are ${OPTIONS.join(", ")}.`);
}
