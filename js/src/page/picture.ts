/** A picture of a saved page with the layers that are drawn here. */

import { drawingsOf, type AxisChange, type Layer } from "../state/layers";
import { axesOf, drawTicks, pixelOf, stretched, valueOf, type PixelAxis } from "./axis";
import type { Polyline } from "../theory/claim";
import { moveByHand, moveByKeys, type Grip } from "./drag";
import { drawMark } from "./marks";
import { savedLabels, type Moved, type SavedLabel } from "./labels";
import { clamp } from "../state/scale";
import type { Root } from "./page";
import type { Words } from "../text/sentences";
import type { Changes, Shown } from "../state/state";

export interface SavedPicture {
  /** Id of its group, the prefix of the ids of its parts. */
  name: string;
  layers: { name: string; marks: Record<string, string> }[];
  /** Paths of fixed markers at (0, 0), by the ids of their elements. */
  shapes: Record<string, string>;
  labels: SavedLabel[];
}

export interface Drawn {
  draw(shown: Shown, words: Words): void;
  /** Place the labels of what was drawn last. */
  label(): void;
}

/** Return how to draw and label a picture; `request` is called with the changes of a drag or a key. */
export function savedPicture(
  root: Root,
  { name, layers, shapes, labels }: SavedPicture,
  known: Record<string, Layer>,
  handles: Record<string, string>,
  request: (changes: Changes) => void,
  now: () => Shown,
  signal: AbortSignal,
): Drawn {
  const markers = { ...handles, ...shapes };
  const group = root.getElementById(name) as unknown as SVGGElement;
  const [x, y] = axesOf(group);
  const parts = layers.map(({ name, marks }) => {
    return { layer: known[name]!, marks: Object.entries(marks) };
  });
  const own = new Set(parts.flatMap(({ marks }) => marks.map(([, id]) => id)));
  const others = Array.from(group.querySelectorAll("[clip-path] path"))
    .filter(({ id }) => !own.has(id))
    .map((path) => [path, path.getAttribute("d")!] as const);
  const original = [{ ...x }, { ...y }] as const;
  const write = savedLabels(root, name, labels);
  const grips = new Map<string, Grip>();

  const setAxis = (axis: PixelAxis, { low, high, label, names }: AxisChange): void => {
    const isX = axis === x;
    const drawn = root.getElementById(`${name}-${isX ? "x" : "y"}-axis`)!;
    if (label) drawn.lastElementChild!.textContent = label;
    if (axis.low === low && axis.high === high && !names) return;
    Object.assign(axis, { low, high });
    drawTicks(drawn, axis, isX ? y.start : x.start, isX, names);
    for (const [path, before] of others) path.setAttribute("d", stretched(before, original, [x, y]));
  };
  moveByHand(group, () => [...grips.values()], signal);
  const steps = parts.find(({ layer }) => layer.step)?.layer;
  if (steps) {
    const step = (right: number, up: number): boolean => {
      const changes = steps.step!(now(), right, up);
      if (changes) request(changes);
      return !!changes;
    };
    moveByKeys(group.ownerSVGElement!, step, signal);
  }
  const moved: Moved = new Map(); // what is left out stays where it was drawn last
  const figure = group.closest("figure")!;
  let last: Shown | undefined;
  const draw = (shown: Shown, words: Words): void => {
    if (figure.hidden) return;
    last = shown;
    for (const { layer } of parts) {
      const { x: across, y: upwards } = layer.axes?.(shown) ?? {};
      if (across) setAxis(x, across);
      if (upwards) setAxis(y, upwards);
    }
    for (const { layer, marks } of parts) {
      const drawingOf = drawingsOf(layer, shown, x, y, words);
      for (const [role, id] of marks) {
        const drawing = drawingOf(role);
        if (!drawing) continue;
        const at = drawMark(root, role, id, drawing, x, y, markers);
        const { text } = drawing;
        const first = at ?? (drawing.points ? firstOf(drawing.points, x, y) : undefined);
        if (first) moved.set(id, { at: first, ...(text !== undefined && { text }) });
        if (!at || !layer.move) continue;
        root.getElementById(id)!.classList.add("handle");
        if (layer.sweeps) group.ownerSVGElement!.classList.add("sweep");
        grips.set(id, {
          at,
          covers: (right, down) =>
            !!layer.sweeps && right >= x.start && right <= x.end && down >= y.end && down <= y.start,
          move: (right, down) =>
            request(layer.move!(clamp(valueOf(right, x), x), clamp(valueOf(down, y), y), x)),
        });
      }
    }
  };
  const label = (): void => {
    if (parts.length && last && !figure.hidden) write(x, y, moved, last);
  };
  return { draw, label };
}

const firstOf = (points: Polyline, x: PixelAxis, y: PixelAxis): readonly [number, number] => [
  pixelOf(points.x[0]!, x),
  pixelOf(points.y[0]!, y),
];
