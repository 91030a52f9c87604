/** A slider and a box of ipywidgets, bound to the state in the browser. */

import { label, onEach, valueText } from "./access";
import type { Item } from "./bound";
import { block, listen, mute, type Model, type Undo } from "./models";
import { stepOf, typed, type Range, type Scale } from "../state/scale";
import { number, type RequestChanges, type State } from "../state/state";
import { exact } from "../text/number_format";

export interface ControlSpec extends Scale, Range {
  /** Key of the control, to which the kernel answers. */
  key: string;
  /** Which number: "epsilon", or "claim.mu"; "" is a number of the kernel's, which moves it. */
  field: string;
  slider: string;
  box: string;
  /** The line for errors, in the view that has the control. */
  error: string;
  label: string;
}

/** Where an error is shown: one at a time, under its control. */
export interface ErrorPlace {
  line?: Model;
}

export function control(
  spec: ControlSpec,
  model: (reference: string) => Model,
  request: RequestChanges,
  redraw: () => void,
  place: ErrorPlace,
): Item<State> {
  const { key, field } = spec;
  const [slider, box, error] = [model(spec.slider), model(spec.box), model(spec.error)];
  /** Until the first draw, what the widgets have comes from Python: nobody chose it. */
  let shown = NaN;

  const put = (line: Model, message: string): void => {
    line.set({ value: block("error", message, "alert") });
  };
  const showError = (message: string): void => {
    if (place.line && place.line !== error) put(place.line, "");
    place.line = error;
    put(error, message);
  };
  const change = (value: number | string): void => {
    showError(typeof value === "string" ? value : "");
    // When the box has taken what was typed: only then it follows, to the valid value or "0.02".
    queueMicrotask(() => (typeof value === "string" ? redraw() : request(key, { [field]: value })));
  };
  const draw = (state: State): void => {
    const value =
      field in state ? state[field as "epsilon"] : state.claim?.parameters[field.slice(6)];
    if (value === undefined) return;
    shown = number(value);
    const disabled = state.fixed.includes(field);
    slider.set({ value: stepOf(shown, spec), disabled });
    box.set({ value: exact(shown), disabled });
  };
  /** Bind the slider or the box: `write` returns what it shows, `read` what the user entered. */
  const follow = (
    part: Model,
    name: string,
    write: (value: number, scale: Scale) => number | string,
    read: (seen: any, spec: ControlSpec) => number | string,
  ): Undo[] => [
    listen(part, ["value"], () => {
      const seen = part.get("value");
      if (!isNaN(shown) && seen !== write(shown, spec)) change(read(seen, spec));
    }),
    mute(part, ["value", "disabled"]),
    label(part, name),
  ];
  const boxLabel = `${spec.label}, exact value`;
  const heard = valueText(slider, (step) =>
    exact(step === stepOf(shown, spec) ? shown : spec.values[step]!),
  );
  if (!field) return [draw, [label(slider, spec.label), heard, label(box, boxLabel)]];
  /** The valid value is back, and to type it again is no change: the error is about what was typed before. */
  const typing = onEach(box, (element) => {
    const input = element.querySelector("input")!;
    element.oninput = () => showError("");
    element.onkeydown = (event) => {
      const isShown = input.value === exact(shown);
      if (event.key === "Enter" && isShown) request(key, { [field]: shown }); // it is claimed now
      if (event.key !== "Escape" || (isShown && !error.get("value"))) return;
      event.stopPropagation(); // what opens over the page stays open
      input.value = exact(shown);
      showError("");
    };
  });
  const moved = follow(slider, spec.label, stepOf, (step) => spec.values[step]!);
  return [draw, [...moved, heard, typing, ...follow(box, boxLabel, exact, typed)]];
}
