/** What opens over the page by a line that opens and closes: Esc and a press elsewhere close it. */

const LINES = ".dpviz :is(.dpviz-more, .dpviz-save, .dpviz-explain, .dpviz-answer-below)";
const OVER = `${LINES}, .dpviz-popover, .dpviz-words`;

const close = (event: Event): void => {
  const key = event instanceof KeyboardEvent ? event.key : undefined;
  if (key !== undefined && key !== "Escape") return;
  const inside = event.target instanceof Element ? event.target.closest(OVER) : null;
  if (key === undefined && inside) return;
  for (const details of Array.from(document.querySelectorAll<HTMLDetailsElement>(`${LINES} details[open]`))) {
    const hadFocus = key !== undefined && !!inside;
    details.open = false;
    if (hadFocus) details.querySelector("summary")!.focus();
  }
};

/** One pair of listeners serves the whole page. */
export function closePopovers(): void {
  document.addEventListener("keydown", close);
  document.addEventListener("pointerdown", close);
}
