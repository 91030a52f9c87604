/** Changes between light and dark while a page is open. */

/** Call back whenever the page around may have got another theme, until `signal`. */
export function whenSwitched(act: () => void, signal: AbortSignal): void {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", act, { signal });
  // Front ends give one of these two another class, attribute or style.
  const observer = new MutationObserver(act);
  for (const element of [document.documentElement, document.body]) {
    observer.observe(element, { attributes: true });
  }
  signal.addEventListener("abort", () => observer.disconnect());
}
