/** Ticks of a logarithmic axis, as `Axis.set_range` in dpviz/pictures/axes.py sets them. */

import { ceil, floor, log10, max } from "../theory/exponentials";

/** Key and text of each tick, ascending; a key is the number as JavaScript's string.
 * The texts of rates are in percent. */
export function axisTicks(low: number, high: number, isRate: boolean): [string, string][] {
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
