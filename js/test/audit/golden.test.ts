import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { limitsAt } from "../../src/audit/band";
import { epsilonStarOf } from "../../src/audit/epsilon_star";
import { oneCutBound, oneCutCeiling, type Steps } from "../../src/audit/one_cut";
import { rankingOf, ratesAt, thresholdAt, type Sample } from "../../src/audit/ranking";
import { TEMPLATES } from "../../src/embed/templates";

interface Golden extends Sample {
  at: [number, number][];
  limits: [number, number, number, number][];
  found: { delta: number; epsilon_star: string | null; bound: number }[];
}

// Seen from the bundled tests in js/test/.bundle.
const FILE = new URL("../../../tests/parity/embed.json", import.meta.url);
const CASES: Record<string, Golden> = JSON.parse(readFileSync(FILE, "utf8"));
const FPRS = [0, 0.01, 0.1, 0.5];

function result<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

const near = (got: number, want: number, allowed: number, what: string): void =>
  assert.ok(got === want || Math.abs(got - want) <= allowed, `${what}: got ${got}, want ${want}`);

for (const [name, golden] of Object.entries(CASES)) {
  const ranking = rankingOf(golden);

  test(`${name}: Epsilon* is Python's to 1e-9, the bound that of the reference to 1e-6`, () => {
    for (const { delta, epsilon_star, bound } of golden.found) {
      const star = epsilonStarOf(ranking, delta);
      if (epsilon_star === null) assert.ok(Number.isNaN(star.value));
      else near(star.value, Number(epsilon_star), 1e-9, `Epsilon* at ${delta}`);
      near(result(oneCutBound(ranking, delta)), bound, 1e-6, `bound at ${delta}`);
    }
  });

  test(`${name}: rates and their limits at all thresholds are Python's to 1e-9`, () => {
    FPRS.forEach((fpr, i) => {
      const at = thresholdAt(ranking, fpr);
      const { fpr: got, fnr } = ratesAt(ranking, at);
      assert.deepEqual([got, fnr], golden.at[i]);
      const limits = limitsAt(ranking, at, TEMPLATES.levels);
      const all = [...limits.fpr, ...limits.fnr];
      all.forEach((each, k) => near(each, golden.limits[i]![k]!, 1e-9, `limit ${k} at ${fpr}`));
    });
  });
}

test("no attack on few records certifies more than the ceiling", () => {
  const { members, nonmembers } = CASES.perfect!;
  const { bound, delta } = CASES.perfect!.found[1]!;
  near(result(oneCutCeiling(members.length, nonmembers.length, delta)), bound, 1e-6, "ceiling");
});
