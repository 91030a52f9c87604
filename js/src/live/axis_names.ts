/** Names of axes, short where the picture has no room for the whole name. */

/** "members missed (FNR, log scale)" becomes "FNR (log scale)"; names in one word stay. */
export function shortName(name: string): string {
  const [, rate, scale] = / \(([^,()]+)(?:, (.*))?\)$/.exec(name) ?? [];
  if (!rate) return name;
  return scale ? `${rate} (${scale})` : rate;
}

/** Shorten the names that leave the figure; they stand in the middle of the axes. */
export function shortenNames(figure: Element, outer: DOMRect, inner: DOMRect): void {
  const [x, y] = [inner.x + inner.width / 2, inner.y + inner.height / 2];
  const across = 2 * Math.min(x - outer.left, outer.right - x);
  const upwards = 2 * Math.min(y - outer.top, outer.bottom - y);
  for (const name of Array.from(figure.querySelectorAll<SVGTextElement>("text.axislabel"))) {
    const [written, before] = [name.textContent!, name.dataset.whole];
    // A text that stands here in neither form is a new name.
    const whole = before && [before, shortName(before)].includes(written) ? before : written;
    name.dataset.whole = whole;
    const turned = /rotate/.test(name.getAttribute("transform") ?? "");
    if (shortName(whole) === whole) continue;
    name.textContent = whole;
    const room = turned ? upwards : across;
    if (name.getComputedTextLength() > room) name.textContent = shortName(whole);
  }
}
