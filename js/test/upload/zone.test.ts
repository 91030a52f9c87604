import assert from "node:assert/strict";
import { test } from "node:test";

import { shown } from "../../src/upload/zone";

test("a name stands on one line, and nothing in it turns or hides other text", () => {
  assert.equal(shown("a <b>&\"'.csv"), "a <b>&\"'.csv");
  assert.equal(shown("\u05d0\u05d1 \u6570.csv"), "\u05d0\u05d1 \u6570.csv");
  assert.equal(shown("a\u0000b\nc\u202ed\u2066e\ud800"), "a\ufffdb\ufffdc\ufffdd\ufffde\ufffd");
});

test("a long name is cut between characters", () => {
  assert.equal(shown("x".repeat(60)), "x".repeat(60));
  assert.equal(shown("\u{1f600}".repeat(10_000)), `${"\u{1f600}".repeat(60)}...`);
});
