/** A native slider and a box of a saved page. */

import { stepOf, typed, type Range, type Scale } from "../state/scale";
import { number, type State } from "../state/state";
import { exact } from "../text/number_format";

export interface SavedControl extends Scale, Range {
  /** Which number: "epsilon", or "claim.mu". */
  field: string;
}

type Input = HTMLInputElement;

/** Boxes with a text that is not entered yet: what else is drawn meanwhile leaves it there. */
const TYPED = new WeakSet<Input>();

/** Return its draw function; `change` is called with a legal value, or with an error message, until `signal`. */
export function savedControl(
  root: HTMLElement,
  spec: SavedControl,
  change: (field: string, value: number | string) => void,
  signal: AbortSignal,
): (state: State) => void {
  const [slider, box] = Array.from(root.querySelectorAll("input")) as [Input, Input];
  let shown = NaN;
  const moved = (): void => {
    TYPED.delete(box);
    change(spec.field, spec.values[Number(slider.value)]!);
  };
  slider.addEventListener("input", moved, { signal });
  const entered = (): void => {
    const text = box.value;
    TYPED.delete(box);
    box.value = exact(shown); // until the typed value is legal
    if (text !== box.value) change(spec.field, typed(text, spec));
  };
  box.addEventListener("input", () => TYPED.add(box), { signal });
  for (const end of ["change", "blur"]) box.addEventListener(end, entered, { signal });
  // JupyterLab lets no change event follow the key.
  box.addEventListener("keydown", ({ key }) => key === "Enter" && entered(), { signal });
  return (state) => {
    const { field } = spec;
    shown = number(
      field in state ? state[field as "epsilon"] : state.claim!.parameters[field.slice(6)]!,
    );
    slider.value = String(stepOf(shown, spec));
    slider.setAttribute("aria-valuetext", exact(shown));
    if (!TYPED.has(box)) box.value = exact(shown);
    slider.disabled = box.disabled = state.fixed.includes(field);
  };
}
