/** The map from data to pixels of a saved picture and back, as in dpviz/pictures/svg/plot.py. */

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

/** The ticks of a logarithmic x axis of another range. */
export function drawTicks(group: Element, axis: PixelAxis, bottom: number): void {
  const [line, names] = [group.querySelector("path")!, group.querySelector("g")!];
  const sample = names.firstElementChild!;
  const ticks = axisTicks(axis.low, axis.high, axis.isRate).map(([key, text]) => {
    const tick = sample.cloneNode() as Element;
    const x = short(pixelOf(Number(key), axis));
    tick.setAttribute("x", String(x));
    tick.textContent = text;
    return { tick, path: `M${x} ${bottom}v5` };
  });
  const marks = ticks.map(({ path }) => path).join("");
  line.setAttribute("d", `M${axis.start} ${bottom}H${axis.end}${marks}`);
  names.replaceChildren(...ticks.map(({ tick }) => tick));
}

/** A path of upper-case commands where each x goes from one axis to another. */
export function stretched(path: string, from: PixelAxis, to: PixelAxis): string {
  return path.replace(/([MLH])([-+.\de]+)/g, (_, command: string, x: string) => {
    return command + short(pixelOf(valueOf(Number(x), from), to));
  });
}
