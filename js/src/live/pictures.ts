/** A figure of bqplot with the layers that are drawn here. */

import { image } from "./access";
import type { Item } from "./bound";
import { inSight } from "./in_sight";
import { labels, type LabelSpec } from "./labels";
import { drawingsOf, LAYERS, type Axis, type AxisChange } from "../state/layers";
import { mark } from "./marks";
import { mute, take, type Model, type Undo } from "./models";
import { handle, sweep } from "./sweep";
import { clamp } from "../state/scale";
import { rate } from "../theory/risk";
import type { Words } from "../text/sentences";
import { named } from "../text/unclaimed";
import type { RequestChanges, Shown } from "../state/state";
import { axisTicks } from "../state/ticks";
import { percent, short } from "../text/number_format";

export interface PictureSpec {
  /** Key of the figure, for requests when the user moves something. */
  key: string;
  figure: string;
  label: string;
  x: AxisSpec;
  y: AxisSpec;
  layers: { name: string; marks: Record<string, string> }[];
  labels: LabelSpec[];
}

interface AxisSpec {
  kind: string;
  rate: boolean;
  scale: string;
  axis: string;
}

export function picture(
  { key, figure, label: name, x, y, layers, labels: texts }: PictureSpec,
  model: (reference: string) => Model,
  request: RequestChanges,
  now: () => Shown | undefined,
  redraw: () => void,
): Item<[Shown, Words]> {
  const scale = model(x.scale);
  const axis = ({ kind, rate: isRate, scale }: AxisSpec): Axis => {
    return { scale: kind, isRate, low: model(scale).get("min"), high: model(scale).get("max") };
  };
  const setAxis = (spec: AxisSpec, { low, high, label, names }: AxisChange): void => {
    const [range, drawn] = [model(spec.scale), model(spec.axis)];
    if (label) drawn.set({ label });
    const ticks = axisTicks(spec.kind, low, high, spec.rate, names);
    const isSame = range.get("min") === low && range.get("max") === high;
    if (isSame && (!names || ticks.every(([at, name]) => drawn.get("tick_labels")[at] === name))) return;
    range.set({ min: low, max: high });
    drawn.set({
      tick_labels: Object.fromEntries(ticks),
      tick_values: Float64Array.from(ticks, ([tick]) => Number(tick)),
    });
  };
  const parts = layers.map(({ name, marks }) => {
    const layer = LAYERS[name]!;
    const onDrag = (across: number, upwards: number): void =>
      request(key, layer.move!(clamp(across, axis(x)), clamp(upwards, axis(y)), axis(x)));
    const drawn = Object.entries(marks).map(([role, id]) => {
      const drag = role === "handle" ? onDrag : undefined;
      return [role, mark(model(id), () => !!now(), redraw, drag)] as const;
    });
    return { layer, drawn };
  });
  const held: Undo[] = [];
  for (const { mark, drag } of texts) if (drag) held.push(handle(model(mark), drag));
  for (const { name, marks } of layers) {
    const [layer, cursor] = [LAYERS[name]!, marks["handle"]];
    if (!layer.sweeps || !cursor) continue;
    const move = (at: number): void => request(key, layer.move!(at, 0, axis(x)));
    held.push(sweep(model(figure), scale, () => axis(x), () => model(cursor).get("x")[0], move));
  }
  const [isInSight, sight] = inSight(model(figure), redraw);
  const draw = ([shown, words]: [Shown, Words]): void => {
    if (!isInSight()) return; // drawn when it is shown next
    for (const { layer } of parts) {
      const { x: across, y: upwards } = layer.axes?.(shown) ?? {};
      if (across) setAxis(x, across);
      if (upwards) setAxis(y, upwards);
    }
    for (const { layer, drawn } of parts) {
      const drawingOf = drawingsOf(layer, shown, axis(x), axis(y), words);
      for (const [role, [drawMark]] of drawn) {
        const drawing = drawingOf(role);
        if (drawing) drawMark(drawing, axis(x), axis(y));
      }
    }
  };
  const step = (right: number, up: number): boolean => {
    const current = now();
    const movable = parts.find(({ layer }) => layer.step);
    const changes = current && movable?.layer.step!(current, right, up);
    if (changes) request(key, changes);
    return !!changes;
  };
  /** The value at a position along the axis, with the first words of its label. */
  const at = (spec: AxisSpec, share: number): string => {
    const range = axis(spec);
    const { scale, low, high, isRate } = range;
    const value = clamp(
      scale === "log" ? low * (high / low) ** share : low + (high - low) * share,
      range,
    );
    const label: string = model(spec.axis).get("label");
    const name = /\(([A-Z]{3})\b/.exec(label)?.[1] ?? label.split(/ ?[:(,=]/)[0];
    return `${name} ${(isRate ? percent : short)(scale === "log-odds" ? rate(value) : value)}`;
  };
  const read = (across: number, upwards: number): string => `${at(x, across)}, ${at(y, upwards)}`;
  // bqplot sends a message for every marker under the pointer.
  const quiet = texts.map(({ mark }) => model(mark)).flatMap((each) => [
    mute(each, ["hovered_point"]),
    take(each, (event) => event === "hover"),
  ]);
  const marks = parts.flatMap(({ drawn }) => drawn.flatMap(([, [, each]]) => each));
  const scales: [Model, Model] = [scale, model(y.scale)];
  const written = labels(model(figure), texts, model, () => [axis(x), axis(y)], scales, (text) => named(text, now()));
  return [draw, [...quiet, ...sight, ...held, ...marks, ...written, image(model(figure), name, scales, step, read)]];
}
