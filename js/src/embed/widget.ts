/** The form of anywidget: `render` shows the view that a model names, whose state is JSON. */

import { NUMBERS, OPTIONS } from "./settings";
import { FORMS, View, type Name, type Options } from "./view";

interface AnyModel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  on(event: string, callback: () => void): void;
  off(event: string, callback: () => void): void;
  save_changes(): void;
}

/** Front ends without a kernel say by an error that a method of the model has nothing to do. */
function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // What the view shows is right without it.
  }
}

export function render({ model, el }: { model: AnyModel; el: HTMLElement }): () => void {
  const asked = String(model.get("view") ?? "board");
  const name = (asked in FORMS ? asked : "board") as Name;
  const stated = (): Options => Object.fromEntries(OPTIONS.map((each) => [each, model.get(each) ?? undefined]));
  const view = new View(el, name, stated());
  if (name !== asked) view.say([`dpviz has no view “${asked}”: the views are ${Object.keys(FORMS).join(", ")}.`]);
  let isOwn = false;
  const stop = view.on("change", (values) => {
    // Only what the state names is written back.
    const moved = NUMBERS.filter((each) => model.get(each) != null && model.get(each) !== values[each]);
    if (isOwn || !moved.length) return;
    isOwn = true;
    moved.forEach((each) => model.set(each, values[each] ?? null));
    quietly(() => model.save_changes());
    isOwn = false;
  });
  const follow = OPTIONS.map((each) => {
    const act = (): void => {
      if (isOwn) return;
      isOwn = true;
      view.set({ [each]: model.get(each) ?? undefined });
      isOwn = false;
    };
    model.on(`change:${each}`, act);
    return () => model.off(`change:${each}`, act);
  });
  return () => [stop, ...follow, () => view.destroy()].forEach(quietly);
}
