/** Ticks of an axis, as `Axis.set_range` in dpviz/drawing/axes.py sets them. */

import { ceil, floor, log10, max } from "../theory/exponentials";
import { short } from "../text/number_format";

/** Key and text of each tick, ascending; a key is the number as JavaScript's string.
 * The texts of rates are in percent; `names` are those of bars of width 1. */
export function axisTicks(
  scale: string,
  low: number,
  high: number,
  isRate: boolean,
  names?: string[],
): [string, string][] {
  if (names) return names.map((name, i) => [String(low + i + 0.5), name]);
  return scale === "log" ? logTicks(low, high, isRate) : roundTicks(low, high, isRate);
}

/** The smallest of ..., 0.5, 1, 2, 5, 10, ... that is not below a positive value. */
export function roundEnd(value: number): number {
  const power = Number(`1e${floor(log10(value))}`);
  return [1, 2, 5, 10].map((factor) => factor * power).find((end) => end >= value)!;
}

/** Of a linear axis. */
function roundTicks(low: number, high: number, isRate: boolean): [string, string][] {
  const most = isRate ? 4 : 6;
  const power = 10 ** floor(log10((high - low) / (most - 1)));
  const steps = isRate ? [1, 2.5, 5, 10] : [1, 2, 5, 10];
  const step = power * steps.find((factor) => (high - low) / (factor * power) <= most + 1e-9)!;
  const ticks: [string, string][] = [];
  for (let i = ceil(low / step - 1e-9); i <= floor(high / step + 1e-9); i++) {
    const value = Number((i * step).toPrecision(12)) + 0; // no "-0"
    const text = isRate ? `${Number((100 * value).toPrecision(12))} %` : short(value, 6);
    ticks.push([String(value), text]);
  }
  return ticks;
}

function logTicks(low: number, high: number, isRate: boolean): [string, string][] {
  const first = ceil(log10(low));
  const last = floor(log10(high));
  const step = max(1, ceil((last - first + 1) / (isRate ? 4 : 7)));
  const ticks: [string, string][] = [];
  // Counted from the upper end, which always has a tick.
  for (let decade = last; decade >= first; decade -= step) {
    const text = isRate ? `${power(decade + 2)} %` : power(decade);
    ticks.unshift([String(Number(`1e${decade}`)), text]);
  }
  return ticks;
}

function power(decade: number): string {
  return decade > -4 && decade < 5 ? String(Number(`1e${decade}`)) : `1e${decade}`;
}
