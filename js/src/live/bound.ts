/** Items made from a list that may change; those that stay in the list are kept. */

import type { Find, Model, Undo } from "./models";

/** How to draw an item, and how to remove it. */
export type Item<Seen> = readonly [draw: (seen: Seen) => void, undo: Undo[]];

/** Make an item from its description and the widgets that the description names. */
type Make<Spec, Seen> = (spec: Spec, model: (reference: string) => Model) => Item<Seen>;

export interface Bound<Spec, Seen> {
  /** Follow a list, once earlier ones are processed. */
  bind(specs: Spec[]): void;
  draw(seen: Seen): void;
  undo: Undo;
}

export function bound<Spec, Seen>(
  find: Find,
  redraw: () => void,
  make: Make<Spec, Seen>,
): Bound<Spec, Seen> {
  const items = new Map<string, Item<Seen>>();
  let queue = Promise.resolve();

  const drop = (key: string): void => {
    for (const undo of items.get(key)?.[1] ?? []) undo();
    items.delete(key);
  };
  const add = async (key: string, spec: Spec): Promise<void> => {
    const models = new Map<string, Model>();
    for (const [reference] of key.matchAll(/IPY_MODEL_\w+/g)) {
      models.set(reference, await find(reference));
    }
    items.set(key, make(spec, (reference) => models.get(reference)!));
  };
  const follow = async (specs: Spec[]): Promise<void> => {
    const wanted = new Map(specs.map((spec) => [JSON.stringify(spec), spec]));
    for (const key of items.keys()) if (!wanted.has(key)) drop(key);
    for (const [key, spec] of wanted) if (!items.has(key)) await add(key, spec);
    redraw();
  };
  const bind = (specs: Spec[]): void => {
    const next = (): Promise<void> => follow(specs);
    queue = queue.then(next, next);
  };
  return {
    bind,
    draw: (seen) => items.forEach(([draw]) => draw(seen)),
    undo: () => bind([]), // after the lists that are still being processed
  };
}
