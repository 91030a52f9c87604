/** Names of axes and of their ticks, fewer or shorter where the picture has no room for all. */

import { ceil, max, min } from "../theory/exponentials";

/** "members missed (FNR, log scale)" becomes "FNR (log scale)", and "PPV (up to 5 %)" loses its end. */
export function shortName(name: string): string {
  const [end, rate, scale] = / \(([^,()]+)(?:, (.*))?\)$/.exec(name) ?? [];
  if (!rate) return name;
  if (rate.includes("%")) return name.replace(end!, "");
  return scale ? `${rate} (${scale})` : rate;
}

/** Shorten the names that leave the figure; they stand in the middle of the axes, whose `labels` are whole. */
export function shortenNames(figure: Element, outer: DOMRect, inner: DOMRect, labels: string[]): void {
  const x = inner.x + inner.width / 2;
  const y = inner.y + inner.height / 2;
  const across = 2 * min(x - outer.left, outer.right - x);
  const upwards = 2 * min(y - outer.top, outer.bottom - y);
  for (const name of figure.querySelectorAll<SVGTextElement>("text.axislabel")) {
    const written = name.textContent!;
    // A label as it is comes first: it may be the short form of the label before.
    const whole = labels.includes(written) ? written : labels.find((label) => shortName(label) === written);
    if (!whole || shortName(whole) === whole) continue;
    if (written !== whole) name.textContent = whole; // to write it again would lay it out again
    const room = /rotate/.test(name.getAttribute("transform")!) ? upwards : across;
    if (name.getComputedTextLength() > room) name.textContent = shortName(whole);
  }
}

/** Pixels between the names of two ticks. */
const APART = 6;

/** Hide names of ticks below a plot so wide, evenly, until none touches another. */
export function thinTicks(figure: Element, width: number): void {
  const axis = figure.querySelector('.axis[text-anchor="middle"]')!; // the first one is below
  const names = [...axis.querySelectorAll<SVGTextElement>(".tick text")];
  const longest = max(...names.map((name) => name.getComputedTextLength()));
  const each = width / (names.length - 1);
  const step = each > 0 ? 2 ** ceil(Math.log2(max(1, (longest + APART) / each))) : 1;
  names.forEach((name, i) => (name.style.visibility = i % step ? "hidden" : ""));
}
