/** A native slider and a box of a saved page. */

import { stepOf, typed, valueAt, type Range, type Scale } from "./scale";
import { number, type State } from "./state";
import { exact } from "./wording";

export interface SavedControl extends Scale, Range {
  /** Which number: "epsilon", or "claim.mu". */
  field: string;
}

type Input = HTMLInputElement;

/** What draws it; `change` gets a legal value, or what is said of an illegal one. */
export function savedControl(
  root: HTMLElement,
  spec: SavedControl,
  change: (field: string, value: number | string) => void,
): (state: State) => void {
  const [slider, box] = Array.from(root.querySelectorAll("input")) as [Input, Input];
  let shown = NaN;
  slider.addEventListener("input", () => change(spec.field, valueAt(Number(slider.value), spec)));
  box.addEventListener("change", () => {
    const text = box.value;
    box.value = exact(shown); // until what was typed holds
    if (text !== box.value) change(spec.field, typed(text, spec));
  });
  return (state) => {
    const { field } = spec;
    shown = number(
      field in state ? state[field as "epsilon"] : state.claim!.parameters[field.slice(6)]!,
    );
    slider.value = String(stepOf(shown, spec));
    slider.setAttribute("aria-valuetext", exact(shown));
    box.value = exact(shown);
    slider.disabled = box.disabled = state.fixed.includes(field);
  };
}
