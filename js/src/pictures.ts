/** A figure of bqplot with the layers that are drawn here. */

import { label, moveByKeys } from "./access";
import type { Item } from "./bound";
import { LAYERS, type Axis } from "./layers";
import { mark } from "./marks";
import type { Model } from "./models";
import { clamp } from "./scale";
import type { Words } from "./sentences";
import type { Ask, Shown } from "./state";
import { axisTicks } from "./ticks";

export interface PictureSpec {
  /** Who asks when a hand moves something. */
  key: string;
  figure: string;
  label: string;
  x: AxisSpec;
  y: AxisSpec;
  layers: { name: string; marks: Record<string, string> }[];
}

interface AxisSpec {
  kind: string;
  scale: string;
  axis: string;
}

export function picture(
  { key, figure, label: name, x, y, layers }: PictureSpec,
  model: (reference: string) => Model,
  ask: Ask,
  now: () => Shown | undefined,
  redraw: () => void,
): Item<[Shown, Words]> {
  const scale = model(x.scale);
  const axis = ({ kind, scale }: AxisSpec): Axis => {
    return { scale: kind, low: model(scale).get("min"), high: model(scale).get("max") };
  };
  const setRange = (low: number, high: number): void => {
    if (scale.get("min") === low) return;
    scale.set({ min: low, max: high });
    // Labels first: bqplot draws new ticks with the labels it has.
    const ticks = axisTicks(low, high);
    model(x.axis).set({ tick_labels: Object.fromEntries(ticks) });
    model(x.axis).set({ tick_values: Float64Array.from(ticks, ([tick]) => Number(tick)) });
  };
  const parts = layers.map(({ name, marks }) => {
    const layer = LAYERS[name]!;
    const onDrag = (across: number, upwards: number): void =>
      ask(key, layer.move!(clamp(across, axis(x)), clamp(upwards, axis(y)), axis(x)));
    const drawn = Object.entries(marks).map(([role, id]) => {
      const isHandle = role === "handle";
      return [role, mark(model(id), () => !!now(), redraw, isHandle ? onDrag : undefined)] as const;
    });
    return { layer, drawn };
  });
  const draw = ([shown, words]: [Shown, Words]): void => {
    for (const { layer } of parts) if (layer.range) setRange(...layer.range(shown));
    for (const { layer, drawn } of parts) {
      const drawings = layer.draw(shown, axis(x), axis(y), words);
      for (const [role, [drawMark]] of drawn) drawMark(drawings[role]!, axis(x), axis(y));
    }
  };
  const step = (right: number, up: number): boolean => {
    const current = now();
    const steps = parts.flatMap(({ layer }) => layer.step ?? []);
    const changes = current && steps[0]?.(current, right, up);
    if (changes) ask(key, changes);
    return !!changes;
  };
  const undo = parts.flatMap(({ drawn }) => drawn.flatMap(([, [, each]]) => each));
  return [draw, [...undo, label(model(figure), name, "img"), moveByKeys(model(figure), step)]];
}
