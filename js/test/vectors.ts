/** The cases that both sides of the closed forms are tested against. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

export interface Case {
  id?: string;
  /** What rounding may cost, where the golden file says so. */
  atol?: number;
  args: any[];
  value: any;
}

const NUMBERS = new Map([Infinity, -Infinity, NaN, -0].map((x) => [`#${x === 0 ? "-0" : x}`, x]));

const revive = (_: string, value: unknown): unknown =>
  typeof value === "string" ? (NUMBERS.get(value) ?? value) : value;

// Seen from the bundled tests in js/test/.bundle.
const FILE = new URL("../../../tests/parity/vectors.json", import.meta.url);

const VECTORS: Record<string, Case[]> = JSON.parse(readFileSync(FILE, "utf8"), revive);

/** Equal, or within a relative 1e-12; an absolute 1e-15 where 0 is wanted. */
export function near(got: number, want: number, what: string, atol = 0): void {
  const allowed = Math.max(atol, want === 0 ? 1e-15 : 1e-12 * Math.abs(want));
  const isNear = got === want || (Number.isFinite(want) && Math.abs(got - want) <= allowed);
  assert.ok(isNear, `${what}: got ${got}, want ${want}, off by ${(got - want) / want}`);
}

/** All cases of a function, each with a name for messages. */
export function each(name: string, check: (given: Case, what: string) => void): void {
  const cases = VECTORS[name];
  assert.ok(cases && cases.length > 5, name);
  for (const given of cases) check(given, given.id ?? `${name} ${JSON.stringify(given.args)}`);
}
