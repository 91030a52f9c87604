import assert from "node:assert/strict";
import { test } from "node:test";

import type { Claim } from "../../src/theory/claim";
import * as forms from "../../src/theory/closed_forms";
import * as normal from "../../src/theory/normal";
import { each, near } from "../vectors";

const NUMERIC: Record<string, (...args: any[]) => number> = {
  cdf: normal.cdf,
  logCdf: normal.logCdf,
  erf: normal.erf,
  quantile: normal.quantile,
  quantileOfLog: normal.quantileOfLog,
  fnr: forms.fnr,
  tpr: forms.tpr,
  advantage: forms.advantage,
  ppv: forms.ppv,
  npv: forms.npv,
  deltaAt: forms.deltaAt,
  epsilonAt: forms.epsilonAt,
  deltaAtPoint: forms.deltaAtPoint,
};

for (const [name, f] of Object.entries(NUMERIC)) {
  test(name, () => each(name, ({ args, value, atol }, what) => near(f(...args), value, what, atol)));
}

test("implied epsilons, and the largest of them", () => {
  each("impliedEpsilons", ({ args, value, atol }, what) => {
    const [fpr, fnr, delta] = args as [number, number, number];
    const got = forms.impliedEpsilons(fpr, fnr, delta);
    assert.equal(got.length, 4);
    got.forEach((epsilon, i) => near(epsilon, value[i], what, atol));
    near(forms.epsilonAtPoint(fpr, fnr, delta), Math.max(0, ...value), what, atol);
  });
});

test("which pairs a claim admits", () => {
  each("admits", ({ args, value }, what) => {
    const [claim, fpr, fnr] = args as [Claim, number, number];
    assert.equal(forms.admits(claim, fpr, fnr), value, what);
  });
});

test("a pair on the curve is admitted although it rounds, and one beside it is not", () => {
  const claims: Claim[] = [
    { kind: "approximate", epsilon: 1, delta: 1e-5 },
    { kind: "approximate", epsilon: 20, delta: 1e-5 },
    { kind: "gaussian", mu: 1 },
    { kind: "laplace", epsilon: 1 },
  ];
  for (const claim of claims) {
    for (let i = 1; i < 200; i++) {
      const fpr = i / 200;
      const fnr = forms.fnr(claim, fpr);
      assert.ok(forms.admits(claim, fpr, fnr), `${claim.kind} ${fpr}`);
      assert.ok(forms.admits(claim, 1 - fpr, 1 - fnr), `${claim.kind} ${fpr}`);
      assert.ok(!forms.admits(claim, fpr, fnr * (1 - 1e-9)), `${claim.kind} ${fpr}`);
    }
  }
});

test("the claim under replace-one adjacency", () => {
  each("replaceOne", ({ args, value }, what) => {
    const got = forms.replaceOne(args[0]) as Record<string, any>;
    assert.equal(got.kind, value.kind, what);
    for (const name of ["epsilon", "delta", "mu"]) {
      if (name in value) near(got[name], value[name], what);
    }
  });
});

test("Gaussian noise at the ends of what a float can hold, as in Python", () => {
  const [tiny, huge]: Claim[] = [{ kind: "gaussian", mu: 5e-324 }, { kind: "gaussian", mu: 1e200 }];
  assert.equal(forms.deltaAt(tiny!, 1), 0);
  assert.equal(forms.epsilonAt(tiny!, 1e-5), 0);
  assert.equal(forms.deltaAt(huge!, 1), 1);
  assert.equal(forms.fnr(huge!, 0.1), 0);
  assert.equal(forms.epsilonAt(huge!, 1e-5), Number.MAX_VALUE);
  near(forms.epsilonAt({ kind: "gaussian", mu: 1e-200 }, 1e-205), 3.9235614002708733e-200, "mu = 1e-200");
});
