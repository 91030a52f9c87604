/** What opens over the page by a line that opens and closes: Esc and a press elsewhere close it. */

const LINES = ".dpviz :is(.dpviz-more, .dpviz-save, .dpviz-explain, .dpviz-answer-below)";

/** Whether a place on the page is a line, or in what it opens over the page. */
function isPartOf(line: Element, place: EventTarget | null): boolean {
  if (!(place instanceof Element)) return false;
  const over = place.closest(".dpviz-popover, .dpviz-words");
  return line.contains(place) || !!over?.parentElement!.contains(line);
}

const close = (event: Event): void => {
  const isKey = event instanceof KeyboardEvent;
  if (isKey && event.key !== "Escape") return;
  for (const details of document.querySelectorAll<HTMLDetailsElement>(`${LINES} details[open]`)) {
    const isInside = isPartOf(details.closest(LINES)!, event.target);
    if (isInside && !isKey) continue;
    details.open = false;
    if (isInside) details.querySelector("summary")!.focus();
  }
};

/** One pair of listeners serves the whole page. */
export function closePopovers(): void {
  document.addEventListener("keydown", close);
  document.addEventListener("pointerdown", close, true);
}
