/** Names for assistive technology, and keys for figures, on whatever element shows a model. */

import { listen, type Model, type Undo } from "./models";

/** Do something to the element of each view of a model, now and whenever one is made. */
function onEach(model: Model, act: (element: HTMLElement) => void): Undo {
  const seen = new WeakSet<HTMLElement>();
  const look = async (): Promise<void> => {
    for (const view of Object.values(model.views ?? {})) {
      const { el } = await view;
      if (!seen.has(el)) act(el);
      seen.add(el);
    }
  };
  void look();
  return listen(model, ["_view_count"], () => void look());
}

/** Give the element, or the input in it, a name; a figure becomes an image one can tab to. */
export function label(model: Model, name: string, role?: "img"): Undo {
  return onEach(model, (element) => {
    const input = element.querySelector<HTMLElement>(".noUi-handle, input, select, textarea");
    const target = role || !input ? element : input;
    target.setAttribute("aria-label", name);
    // Notebook 7 takes the arrow keys of a focused slider for itself, unless the handle says this.
    if (target.matches(".noUi-handle")) target.dataset.lmSuppressShortcuts = "true";
    if (role) {
      target.setAttribute("role", role);
      target.tabIndex = 0;
    }
  });
}

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowDown: [0, -1],
  ArrowUp: [0, 1],
};

/** Arrow keys on a focused figure move what a hand could drag in it; `move` says whether it did. */
export function moveByKeys(model: Model, move: (right: number, up: number) => boolean): Undo {
  return onEach(model, (element) => {
    element.dataset.lmSuppressShortcuts = "true";
    element.addEventListener("keydown", (event) => {
      const arrow = ARROWS[event.key];
      if (!arrow || event.ctrlKey || event.metaKey || event.altKey || !move(...arrow)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  });
}
