/** Names for assistive technology, keys, and a readout, on the elements that show a model. */

import { listen, type Model, type Undo, type View } from "./models";
import { round } from "../theory/exponentials";

/** Act on the element of each view of a model, now and whenever one is made; twice is once. */
export function onEach(model: Model, act: (element: HTMLElement, view: View) => void): Undo {
  const look = async (): Promise<void> => {
    for (const each of Object.values(model.views!)) {
      const view = await each;
      act(view.el, view);
    }
  };
  void look();
  return listen(model, ["_view_count"], look);
}

/** The rectangle between the axes of a figure; null until it is drawn. */
export const plotOf = (figure: Element): Element | null => figure.querySelector(".plotarea_background");

/** Name an element; without the attribute, Notebook 7 would intercept its arrow keys. */
function mark(element: HTMLElement, name: string): void {
  element.ariaLabel = name;
  element.dataset.lmSuppressShortcuts = "true";
}

/** Give the handle of a slider, or the input of a box, a name. */
export const label = (model: Model, name: string): Undo =>
  onEach(model, (element) => mark(element.querySelector(".noUi-handle, input")!, name));

/** Let assistive technology say the value at a slider's step, not the step. */
export const valueText = (model: Model, value: (step: number) => string): Undo =>
  onEach(model, (element) => {
    const slider = element.querySelector<HTMLElement & { noUiSlider: SliderHandle }>(".noUi-target")!;
    slider.noUiSlider.off("update.dpviz");
    slider.noUiSlider.on("update.dpviz", (_texts, _handle, [step]) => {
      element.querySelector(".noUi-handle")!.setAttribute("aria-valuetext", value(round(step!)));
    });
  });

/** What is used of noUiSlider, the slider of ipywidgets. */
interface SliderHandle {
  on(event: string, act: (texts: string[], handle: number, steps: number[]) => void): void;
  off(event: string): void;
}

const ARROWS: Record<string, [number, number]> = {
  Left: [-1, 0],
  Right: [1, 0],
  Down: [0, -1],
  Up: [0, 1],
};

/**
 * A figure is an image that takes the focus. Arrow keys move its handle; `move` returns whether it
 * did. Under the pointer, `read` returns the coordinates, from the positions along both `scales`.
 */
export function image(
  model: Model,
  name: string,
  scales: [Model, Model],
  move: (right: number, up: number) => boolean,
  read: (across: number, upwards: number) => string,
): Undo {
  return onEach(model, (element, view) => {
    mark(element, name);
    element.role = "img";
    element.tabIndex = 0;
    element.onkeydown = (event) => {
      const arrow = ARROWS[event.key.slice("Arrow".length)];
      if (arrow && !event.altKey && !event.metaKey && move(...arrow)) event.preventDefault();
    };
    element.onmousemove = ({ clientX, clientY }) => {
      const plot = plotOf(element)!.getBoundingClientRect();
      const [left, right] = view.padded_range("x", scales[0]);
      const [bottom, top] = view.padded_range("y", scales[1]);
      element.dataset.at = read(
        (clientX - plot.x - left) / (right - left),
        (clientY - plot.y - bottom) / (top - bottom),
      );
    };
  });
}
