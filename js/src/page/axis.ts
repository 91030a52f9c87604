/** The map from data to pixels of a saved picture and back, as in dpviz/drawing/svg.py. */

import { log, round } from "../theory/exponentials";
import type { Axis } from "../state/layers";
import { axisTicks } from "../state/ticks";

export interface PixelAxis extends Axis {
  /** Pixels of `low` and of `high`. */
  start: number;
  end: number;
}

export const pixelOf = (value: number, { scale, low, high, start, end }: PixelAxis): number => {
  const share = scale === "log" ? log(value / low) / log(high / low) : (value - low) / (high - low);
  return start + (end - start) * share;
};

export const valueOf = (pixel: number, { scale, low, high, start, end }: PixelAxis): number => {
  const share = (pixel - start) / (end - start);
  return scale === "log" ? low * (high / low) ** share : low + (high - low) * share;
};

/** Round to hundredths of a pixel, as Python does. */
export const short = (pixel: number): number => round(100 * pixel) / 100;

/** Both axes of a picture, from its data attributes. */
export function axesOf({ dataset }: SVGElement): [PixelAxis, PixelAxis] {
  const at = (name: string): number => Number(dataset[name]);
  const axis = (name: string, start: number, end: number): PixelAxis => {
    const [low, high] = [at(`${name}Low`), at(`${name}High`)];
    return { scale: dataset[`${name}Scale`]!, isRate: !!at(`${name}Rate`), low, high, start, end };
  };
  const [left, top] = [at("left"), at("top")];
  return [axis("x", left, left + at("width")), axis("y", top + at("height"), top)];
}

/** The ticks of an axis of another range; `across` is where it crosses the other axis. */
export function drawTicks(group: Element, axis: PixelAxis, across: number, isX: boolean, names?: string[]): void {
  const [line, texts] = [group.querySelector("path")!, group.querySelector("g")!];
  const sample = texts.firstElementChild!;
  const ticks = axisTicks(axis.scale, axis.low, axis.high, axis.isRate, names).map(([key, text]) => {
    const tick = sample.cloneNode() as Element;
    const at = short(pixelOf(Number(key), axis));
    // A text beside the y axis stands on a base line 4 pixels below its tick.
    tick.setAttribute(isX ? "x" : "y", String(isX ? at : at + 4));
    tick.textContent = text;
    return { tick, path: isX ? `M${at} ${across}v5` : `M${across} ${at}h-5` };
  });
  const marks = ticks.map(({ path }) => path).join("");
  const { start, end } = axis;
  const along = isX ? `M${start} ${across}H${end}` : `M${across} ${end}V${start}`;
  line.setAttribute("d", along + marks);
  texts.replaceChildren(...ticks.map(({ tick }) => tick));
}

export type PixelAxes = readonly [x: PixelAxis, y: PixelAxis];

/** A path of upper-case commands whose coordinates go from axes to others. */
export function stretched(path: string, [x, y]: PixelAxes, [newX, newY]: PixelAxes): string {
  const across = (at: string): number => short(pixelOf(valueOf(Number(at), x), newX));
  const upwards = (at: string): number => short(pixelOf(valueOf(Number(at), y), newY));
  return path.replace(/([MLHV])([-+.\de]+)(?: ([-+.\de]+))?/g, (_, command, first, second) => {
    if (second) return `${command}${across(first)} ${upwards(second)}`;
    return command + (command === "V" ? upwards(first) : across(first));
  });
}
