/** Ticks of a logarithmic axis, as `Axis.set_range` in dpviz/pictures/axes.py sets them. */

import { ceil, floor, log10, max } from "../theory/exponentials";

/** Key and text of each tick, ascending; a key is the number as JavaScript's string. */
export function axisTicks(low: number, high: number): [string, string][] {
  const first = ceil(log10(low));
  const last = floor(log10(high));
  const step = max(1, ceil((last - first + 1) / 7));
  const ticks: [string, string][] = [];
  // Counted from the upper end, which always has a tick.
  for (let decade = last; decade >= first; decade -= step) {
    const value = Number(`1e${decade}`);
    ticks.unshift([String(value), decade > -4 && decade < 5 ? String(value) : `1e${decade}`]);
  }
  return ticks;
}
