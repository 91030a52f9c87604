/** What a pointer can move of a figure of bqplot: handles, and a cursor that any press moves. */

import { onEach, plotOf } from "./access";
import type { Model, Undo } from "./models";
import { pixelOf, valueOf } from "../page/axis";
import type { Axis } from "../state/layers";
import { clamp } from "../state/scale";

/** Pixels from the middle of a cursor's handle, and from its line, within which both are taken. */
const HANDLE = 12;
const LINE = 3;
/** Pixels below the axes down to which a handle hangs there, with room for a finger. */
const BELOW = 24;

/** Mark the elements of a handle, for the rules of style of what is dragged. */
export const handle = (mark: Model, drag: string): Undo =>
  onEach(mark, (element) => element.classList.add("dpviz-handle", `dpviz-drag-${drag}`));

/** Move a cursor by a press or a drag anywhere in the axes; `move` gets a place on the x axis. */
export function sweep(
  figure: Model,
  scale: Model,
  axis: () => Axis,
  cursor: () => number,
  move: (x: number) => void,
): Undo {
  return onEach(figure, (element, view) => {
    element.classList.add("dpviz-sweep");
    /** Where a press began, and how far from the cursor; a finger may still scroll the page. */
    let press: { x: number; y: number; aside: number; isTaken: boolean; waits: boolean } | undefined;
    const place = ({ clientX, clientY }: PointerEvent) => {
      const { x, y, height } = plotOf(element)!.getBoundingClientRect();
      const [start, end] = view.padded_range("x", scale);
      return { x: clientX - x, y: clientY - y, height, axis: { ...axis(), start, end } };
    };
    const go = (event: PointerEvent): void => {
      const at = place(event);
      move(clamp(valueOf(at.x - press!.aside, at.axis), at.axis));
    };
    element.onpointerdown = (event) => {
      const other = (event.target as Element).closest(".dpviz-handle:not(.dpviz-drag-x)");
      if (event.button || other) return;
      const { x, y, height, axis } = place(event);
      if (x < axis.start - HANDLE || x > axis.end + HANDLE || y < 0 || y > height + BELOW) return;
      const aside = x - pixelOf(cursor(), axis);
      const isTaken = Math.abs(aside) <= (y > height ? HANDLE : LINE);
      if (y > height && !isTaken) return;
      const waits = isTaken || event.pointerType === "touch";
      press = { x, y, aside: isTaken ? aside : 0, isTaken, waits };
      element.setPointerCapture(event.pointerId);
      if (!press.waits) go(event);
    };
    element.onpointermove = (event) => {
      if (!press) return;
      const { x, y } = place(event);
      const [across, down] = [Math.abs(x - press.x), Math.abs(y - press.y)];
      if (press.waits && !(across > 1 && across >= down)) return;
      press.waits = false;
      go(event);
    };
    element.onpointerup = (event) => {
      if (press?.waits && !press.isTaken) go(event); // a finger's tap
      press = undefined;
    };
    element.onpointercancel = () => {
      press = undefined;
    };
  });
}
