import assert from "node:assert/strict";
import { test } from "node:test";

import { savedControl } from "../../src/page/control";
import type { State } from "../../src/state/state";

class Input extends EventTarget {
  value = "";
  disabled = false;
  setAttribute(): void {}
}

/** A control of epsilon that shows 1, what it has asked for, and what a reader does with its box. */
function epsilon() {
  const [slider, box, asked] = [new Input(), new Input(), [] as (number | string)[]];
  const root = { querySelectorAll: () => [slider, box] } as unknown as HTMLElement;
  const draw = savedControl(
    root,
    { field: "epsilon", name: "ε", least: 0, most: "inf", condition: "at least 0", values: [0, 1, 2] },
    (_, value) => asked.push(value),
    new AbortController().signal,
  );
  const show = (value: number): void => draw({ epsilon: value, fixed: [] as string[] } as State);
  const type = (text: string): void => {
    box.value = text;
    box.dispatchEvent(new Event("input"));
  };
  const press = (key: string): void =>
    void box.dispatchEvent(Object.assign(new Event("keydown"), { key }));
  show(1);
  return { slider, box, asked, show, type, press };
}

test("Enter counts without a change event, other keys do not", () => {
  const { box, asked, show, type, press } = epsilon();
  type("3");
  press("3");
  assert.deepEqual([asked, box.value], [[], "3"]);
  press("Enter");
  assert.deepEqual(asked, [3]);
  show(3);
  box.dispatchEvent(new Event("change"));
  box.dispatchEvent(new Event("blur"));
  assert.deepEqual([asked, box.value], [[3], "3"]);
});

test("what is not a number of the range is an error, and the box shows the last good one", () => {
  const { box, asked, type, press } = epsilon();
  type("-1");
  press("Enter");
  assert.deepEqual([asked, box.value], [["ε must be at least 0 (you typed -1)."], "1"]);
});

test("what is being typed stays when something else is drawn, until it is entered or moved", () => {
  const { slider, box, asked, show, type, press } = epsilon();
  type("3");
  show(2);
  assert.equal(box.value, "3");
  press("Enter");
  show(3);
  show(2);
  assert.deepEqual([asked, box.value], [[3], "2"]);
  type("1");
  slider.value = "0";
  slider.dispatchEvent(new Event("input"));
  show(0);
  assert.deepEqual([asked, box.value], [[3, 0], "0"]);
  type("0");
  box.dispatchEvent(new Event("blur")); // no change, so the browser tells of none
  show(2);
  assert.deepEqual([asked, box.value], [[3, 0], "2"]);
});
