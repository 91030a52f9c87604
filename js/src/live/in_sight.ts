/** Whether a figure of bqplot is to be seen: views of other tabs stay on the page without a size. */

import { onEach } from "./access";
import type { Model, Undo, View } from "./models";

/** Call `act` when a view of the figure comes in sight; returns whether one is, and how to end. */
export function inSight(figure: Model, act: () => void): readonly [() => boolean, Undo[]] {
  const views = new WeakMap<Element, View>();
  const seen = new Set<Element>();
  const sizes = new ResizeObserver((changes) => {
    for (const { target, contentRect } of changes) {
      if (!contentRect.width) {
        seen.delete(target);
        continue;
      }
      // By itself bqplot would show the picture in its former size for 300 ms.
      const view = views.get(target)!;
      view.visible = true;
      view.relayout();
      if (seen.has(target)) continue;
      seen.add(target);
      act();
    }
  });
  const undo = onEach(figure, (element, view) => {
    views.set(element, view);
    sizes.observe(element);
  });
  return [() => seen.size > 0, [undo, () => sizes.disconnect()]];
}
