/** Drawings on bqplot's marks. */

import type { Axis, Drawing } from "../state/layers";
import { clamp } from "../state/scale";
import { listen, mute, take, type Model, type Undo } from "./models";

const OWNED = ["x", "y", "visible", "names", "marker", "fill", "stroke"];
/** The edge of a filled marker, as in dpviz/widgets/plot_frame.py. */
const PAPER = "var(--dpviz-ffffff, #ffffff)";

type Draw = (drawing: Drawing, x: Axis, y: Axis) => void;

/** A mark that is drawn here while `isOurs` holds; `onDrag` makes it a handle. */
export function mark(
  model: Model,
  isOurs: () => boolean,
  redraw: () => void,
  onDrag?: (x: number, y: number) => void,
): readonly [Draw, Undo[]] {
  let setting = false;
  let dragging = false;

  const draw: Draw = (drawing, x, y) => {
    setting = true;
    model.set(valuesOf(drawing, x, y, dragging)); // equal values are no change
    setting = false;
  };
  const changed = (): void => {
    if (setting || !isOurs()) return;
    if (dragging) onDrag?.(model.get("x")[0], model.get("y")[0]);
    else queueMicrotask(redraw); // views may not have received yet what is redrawn here
  };
  const undo = [listen(model, OWNED, changed), mute(model, OWNED)];
  if (onDrag) {
    // bqplot sends every step of a drag to the kernel; it stays here.
    const follow = (event?: string): boolean => {
      if (!isOurs() || !event?.startsWith("drag")) return false;
      dragging = event === "drag"; // a click starts and ends without one
      if (!dragging) changed();
      return true;
    };
    undo.push(take(model, follow));
  }
  return [draw, undo];
}

function valuesOf(drawing: Drawing, x: Axis, y: Axis, dragging: boolean): Record<string, unknown> {
  const { line, points, text } = drawing;
  if (line !== undefined) return lined(line);
  if (points === undefined) return placed(drawing, x, y, dragging);
  return points && text ? { ...lined(points), names: [text] } : lined(points);
}

function lined(line: Drawing["line"]): Record<string, unknown> {
  return line ? { visible: true, ...line } : { visible: false };
}

/** A marker and its text; a dragged one follows the pointer. */
function placed(
  { place, text, marker, hollow }: Drawing,
  x: Axis,
  y: Axis,
  dragging: boolean,
): Record<string, unknown> {
  const values: Record<string, unknown> = { visible: true };
  if (marker) values["marker"] = marker;
  if (hollow !== undefined) Object.assign(values, { fill: !hollow, stroke: hollow ? null : PAPER });
  if (text !== undefined) values["names"] = text ? [text] : [];
  if (!place) return values;
  const [across, upwards] = [clamp(place[0], x), clamp(place[1], y)];
  return dragging ? values : { ...values, x: Float64Array.of(across), y: Float64Array.of(upwards) };
}
