import assert from "node:assert/strict";
import { test } from "node:test";

import { readCsv, readScores } from "../../src/embed/read_scores";
import { checked, unknownNames } from "../../src/embed/settings";

test("a CSV says by its names which column is which, in any order and with any separator", () => {
  const want = { members: [0.5, 2], nonmembers: [1], kind: "loss" };
  assert.deepEqual(readCsv("loss,member\n0.5,1\n1,0\n2,1\n"), want);
  assert.deepEqual(readCsv('\ufeff"Split";"id";"NLL"\r\ntrain;a;0.5\r\ntest;b;1\r\ntrain;c;2'), want);
  assert.equal(readCsv("score\tis_member\n1\tyes\n2\tno").kind, "score");
});

test("what is no such CSV is a sentence with the row, the column and the value", () => {
  const fails = (text: string, message: RegExp) => assert.throws(() => readCsv(text), { message });
  fails("", /no column of losses or scores .* got “”/);
  fails("a,b\n1,2", /got “a, b”/);
  fails("loss,nll,member\n1,2,1", /several columns of losses/);
  fails("loss,member\n1,1\nx,0", /Row 2 must have a number in column “loss”, got “x”/);
  fails("loss,member\nnan,1", /Row 1 .* got “nan”/);
  fails("loss,member\n1,maybe", /Row 1 must have 1 or 0 in column “member”, got “maybe”/);
  fails("loss,member\n1,1", /no non-members/);
  fails("loss,member\n1,0", /no members/);
});

test("arrays that are none, are empty or have no numbers are named", async () => {
  const fails = (given: unknown, message: RegExp) => assert.rejects(readScores(given), { message });
  await fails({ members: [], nonmembers: [1] }, /scores.members must have at least one number/);
  await fails({ members: [1] }, /scores.nonmembers must be an array of numbers, got “undefined”/);
  await fails({ members: [1, NaN], nonmembers: [1] }, /scores.members must be numbers, got “NaN” at place 1/);
  await fails({ members: [1], nonmembers: [1], kind: "logit" }, /kind must be "loss".* got “logit”/);
  await fails(7, /scores.members must be an array/);
  await fails(new Blob([new Uint8Array(2 ** 25 + 1)]), /The file has 33 MiB; a page reads at most 32 MiB/);
  const read = await readScores({ members: Float32Array.of(1), nonmembers: [0], kind: "score" });
  assert.equal(read.kind, "score");
});

test("options are checked as the boxes beside the sliders are", () => {
  assert.equal(checked("epsilon", "2"), 2);
  assert.equal(checked("epsilon", Infinity), Infinity);
  assert.equal(checked("prior", "5 %"), 0.05);
  assert.equal(checked("epsilon", -1), "ε must be 0 or more (you typed -1).");
  assert.equal(checked("epsilon", NaN), "ε must be 0 or more (you typed nan).");
  assert.equal(checked("delta", {}), "δ must be a number (you typed [object Object]).");
  assert.match(unknownNames(["epsilon", "epsilom"])[0]!, /no option “epsilom”: the options are epsilon, delta/);
});
