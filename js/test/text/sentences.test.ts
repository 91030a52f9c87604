import assert from "node:assert/strict";
import { test } from "node:test";

import { LAYERS, type Axis } from "../../src/state/layers";
import { sentences, type Words } from "../../src/text/sentences";
import { named } from "../../src/text/unclaimed";
import { shown, type Changes, type Shown, type State } from "../../src/state/state";
import { LIVE, type Said } from "../live_vectors";

const { words } = LIVE;
const UNIT: Axis = { scale: "linear", isRate: false, low: 0, high: 1 };

/** An implied epsilon that is 0 but for rounding, which is not the same on both sides. */
const NOISE = /-?\d(\.\d+)?e-1[3-9]\b/g;

const quiet = (said: object): Record<string, string> =>
  Object.fromEntries(Object.entries(said).map(([name, text]) => [name, text.replace(NOISE, "0")]));

/** The point of the region: its text, its shape, and whether it is hollow. */
function pointOf(now: Shown): Record<string, string> {
  const { text, marker, hollow } = LAYERS.RegionPoint!.draw(now, UNIT, UNIT, words).handle!;
  return { label: text!, marker: marker!, look: hollow ? "hollow" : "filled" };
}

function says(state: State, changes: Changes): Record<string, string> {
  const now = shown(state, changes)!;
  const said = sentences(now, words, { ...state.tails, waiting: words.waiting! });
  return quiet({ ...pointOf(now), ...said });
}

function expected({ conversion, ...want }: Said): Record<string, string> {
  const converted = { region: conversion + want.region, tradeoff: conversion + want.tradeoff };
  return quiet({ ...want, ...converted, risk: conversion + want.risk });
}

/** What is said, without the sentences that a case leaves out to keep the file small. */
const alike = (said: Record<string, string>, want: Said): Record<string, string> =>
  Object.fromEntries(Object.entries(said).filter(([name]) => name in want));

const changesOf = (given: Record<string, any>): Changes =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value === "inf" ? Infinity : value]));

test("what the kernel says, the browser says in the same words", () => {
  assert.ok(LIVE.told.length > 150);
  for (const { state, want } of LIVE.told) {
    assert.deepEqual(alike(says(state, {}), want), expected(want), JSON.stringify(state));
  }
  assert.ok(LIVE.told.filter(({ want }) => "population" in want).length > 10);
});

test("of claims that are sent as statements, too; their other numbers are the kernel's", () => {
  for (const { state, want } of LIVE.stated) {
    const { statements, ...others } = state.claim!;
    assert.deepEqual(alike(says(state, {}), want), expected(want), JSON.stringify(others));
    assert.ok(statements);
    assert.equal(shown(state, { "claim.rho": 1 }), undefined);
  }
});

test("what a hand has changed reads as the kernel will say it", () => {
  assert.ok(LIVE.moved.length > 40);
  for (const { state, changes, want } of LIVE.moved) {
    const about = JSON.stringify([state, changes]);
    assert.deepEqual(alike(says(state, changesOf(changes)), want), expected(want), about);
  }
  assert.ok(LIVE.moved.filter(({ want }) => "population" in want).length > 10);
});

test("what nobody claims is named by its epsilon, until epsilon moves", () => {
  const isUntested = ({ answer, claim }: State): boolean =>
    answer?.state === "no claim" && claim!.kind === "approximate" && claim!.short.includes("{epsilon}");
  const { state } = LIVE.told.find((each) => isUntested(each.state))!;
  const still = shown(state, {})!;
  const name = state.claim!.short.replace("{epsilon}", String(state.claim!.parameters["epsilon"]));
  assert.equal(named("PPV: limit of the claim", still), `PPV: limit at ${name}`);
  assert.equal(named("allowed by the claim", still), `allowed at ${name}`);
  assert.equal(named("the claim allows it", still), `${name} allows it`);
  assert.equal(named("region of the claim ε = 1, δ = 0", still), "region of ε = 1, δ = 0");
  assert.equal(says(state, {})["readout_claim"], name);
  const moved = shown(state, { "claim.epsilon": 0.7 })!;
  assert.equal(named("limit of the claim", moved), "limit of the claim");
  assert.equal(says(state, { "claim.epsilon": 0.7 })["readout_claim"], "claim");
  const labels = [still, moved].map((now) => {
    const onTime = { ...now, ruler: { delta: 0, largest: 0 } };
    return LAYERS.ClaimedEpsilon!.draw(onTime, UNIT, { ...UNIT, high: 10 }, words).label!.text;
  });
  assert.match(labels[0]!, /^ε = /);
  assert.equal(labels[1], "claimed 0.7");
});

test("an audit answers for every epsilon at its delta, as the kernel will", () => {
  const headlines = new Set<string>();
  for (const { state, cases } of LIVE.audited) {
    for (const { changes, want } of cases) {
      const now = shown(state, changesOf(changes))!;
      const said: Words = { ...sentences(now, words, { waiting: "" }), ...pointOf(now) };
      const both = Object.fromEntries(Object.keys(want).map((name) => [name, said[name]]));
      assert.deepEqual(both, want, JSON.stringify([state.claim, state.answer, changes]));
      headlines.add(want.answer!.replace(/ε = \S+/, ""));
    }
  }
  assert.ok(headlines.size >= 5);
});
