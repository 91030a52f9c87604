import assert from "node:assert/strict";
import { test } from "node:test";

import { bound } from "../../src/live/bound";
import type { Model } from "../../src/live/models";

interface Spec {
  at: string;
}

/** Items that note when they are made and let go; models come when they are told to. */
function noted() {
  const seen: string[] = [];
  const waiting = new Map<string, (model: Model) => void>();
  const find = (reference: string): Promise<Model> =>
    new Promise((resolve) => waiting.set(reference, resolve));
  const list = bound<Spec, string>(find, () => seen.push("redraw"), ({ at }, model) => {
    seen.push(`make ${at} of ${model(at) as unknown as string}`);
    return [(text) => seen.push(`${at} ${text}`), [() => seen.push(`undo ${at}`)]];
  });
  const come = async (reference: string): Promise<void> => {
    await settled();
    waiting.get(reference)!(reference.toLowerCase() as unknown as Model);
    await settled();
  };
  return { seen, list, come };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const [A, B] = ["IPY_MODEL_A", "IPY_MODEL_B"];

test("what stays in the list stays as it is, what leaves it is let go", async () => {
  const { seen, list, come } = noted();
  list.bind([{ at: A }]);
  await come(A);
  list.bind([{ at: A }, { at: B }]);
  await come(B);
  list.bind([{ at: B }]);
  await settled();
  list.draw("drawn");
  assert.deepEqual(seen, [
    ...[`make ${A} of ipy_model_a`, "redraw", `make ${B} of ipy_model_b`, "redraw"],
    ...[`undo ${A}`, "redraw", `${B} drawn`],
  ]);
});

test("what is on its way when all is let go, is let go too", async () => {
  const { seen, list, come } = noted();
  list.bind([{ at: A }]);
  await settled();
  list.undo();
  await come(A);
  assert.deepEqual(
    seen.filter((text) => text !== "redraw"),
    [`make ${A} of ipy_model_a`, `undo ${A}`],
  );
});
