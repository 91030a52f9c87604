import assert from "node:assert/strict";
import { test } from "node:test";

import * as forms from "../../src/theory/closed_forms";
import { fprOfLoss } from "../../src/theory/costs";
import { stated, type Statements } from "../../src/theory/stated";

/** The strictest somewhere, the largest epsilon first. */
const EXAMPLES: Statements[] = [
  [[1, 1e-5]],
  [[1, 1e-5], [0.5, 0.01]],
  [[2, 0], [1, 1e-3], [0.1, 0.2]],
  [[3, 1e-6], [0, 0.1]],
  [[0, 0]],
  [[30, 1e-12], [20, 1e-9], [1, 0.3]],
];
const RATES = [0, 1e-12, 1e-6, ...Array.from({ length: 199 }, (_, i) => (i + 1) / 200), 1 - 1e-9, 1];
const LOSSES = [-600, -2.5, -1, -0.3, 0, 0.05, 0.3, 0.7, 1, 1.5, 2.5, 10, 600];

for (const statements of EXAMPLES) {
  const about = JSON.stringify(statements);
  const claim = { kind: "stated", statements } as const;
  const f = stated(statements);
  const each = statements.map(([epsilon, delta]) => ({ kind: "approximate", epsilon, delta }) as const);

  test(`an attack has to keep every statement: ${about}`, () => {
    for (const fpr of RATES) {
      const near = (got: number, want: number): void =>
        assert.ok(Math.abs(got - want) <= 1e-14, `${fpr}: ${got}, ${want}`);
      near(f.fnr(fpr), Math.max(...each.map((one) => forms.fnr(one, fpr))));
      near(f.tpr(fpr), Math.min(...each.map((one) => forms.tpr(one, fpr))));
      near(f.advantage(fpr), Math.min(...each.map((one) => forms.advantage(one, fpr))));
    }
  });

  test(`its profile is what the likelihood-ratio test attains: ${about}`, () => {
    for (const loss of LOSSES) {
      const delta = forms.deltaAt(claim, loss);
      const fpr = fprOfLoss(claim, loss);
      const attained = f.tpr(fpr) - Math.exp(loss) * fpr;
      assert.ok(Math.abs(attained - delta) <= 1e-13, `${loss}: ${attained}, ${delta}`);
      for (const other of RATES) assert.ok(f.tpr(other) - Math.exp(loss) * other <= delta + 1e-13);
    }
  });

  test(`the epsilon of a delta is the smallest that holds: ${about}`, () => {
    for (const delta of [0, 1e-9, 1e-4, 0.01, 0.15, 0.5, 1]) {
      const epsilon = forms.epsilonAt(claim, delta);
      if (epsilon === Infinity) assert.ok(f.tpr(0) > delta);
      else assert.ok(forms.deltaAt(claim, epsilon) <= delta * (1 + 1e-12) + 1e-15);
      if (0 < epsilon && epsilon < Infinity) {
        assert.ok(forms.deltaAt(claim, epsilon * (1 - 1e-6)) > delta, `${delta}`);
      }
    }
  });

  test(`its corners lie on it: ${about}`, () => {
    const { x, y } = f.vertices();
    x.forEach((fpr, i) => assert.ok(!fpr || Math.abs(f.fnr(fpr) - y[i]!) <= 1e-14, `${fpr}`));
    assert.ok(x.every((fpr, i) => i === 0 || fpr >= x[i - 1]!));
  });
}

test("no statement is no guarantee", () => {
  assert.equal(stated([]).tpr(0), 1);
  assert.equal(forms.deltaAt({ kind: "stated", statements: [] }, 5), 1);
  assert.equal(forms.epsilonAt({ kind: "stated", statements: [] }, 0.5), Infinity);
});
