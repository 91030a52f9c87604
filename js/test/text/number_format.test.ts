import assert from "node:assert/strict";
import { test } from "node:test";

import * as wording from "../../src/text/number_format";
import { each } from "../vectors";

const FUNCTIONS: Record<string, (...given: any[]) => unknown> = {
  short: wording.short,
  percent: wording.percent,
  shortAbove: wording.shortAbove,
  upper: wording.upper,
  lower: wording.lower,
  tidyRate: wording.tidyRate,
  exact: wording.exact,
  numberOf: (text) => wording.numberOf(text) ?? null,
};

for (const [name, f] of Object.entries(FUNCTIONS)) {
  test(name, () => {
    each(name, ({ args, value }, what) => {
      assert.ok(Object.is(f(...args), value), `${what}: got ${f(...args)}, want ${value}`);
    });
  });
}
