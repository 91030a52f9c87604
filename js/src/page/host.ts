/** The element of a page that stands in another page, light or dark as that one is. */

import { isOnDark, NAMED, ON_DARK } from "../live/theme";

/** Themes that front ends name, and that are dark. */
const DARK = '[data-jp-theme-light="false"], .vscode-dark';

/** Make an element with a shadow tree, whose style sheet and ids are its own; it is there until `signal`. */
export function hostIn(element: HTMLElement, signal: AbortSignal): ShadowRoot {
  const host = element.appendChild(document.createElement("div"));
  host.className = "dpviz-page";
  // Slides shall not follow a finger here, nor a notebook take keys for its own.
  Object.assign(host.dataset, { preventSwipe: "", lmSuppressShortcuts: "true" });
  const follow = (): void => {
    const named = element.closest(NAMED);
    host.classList.toggle(ON_DARK, named ? named.matches(DARK) : isOnDark(element));
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", follow, { signal });
  // Front ends give one of these two another class, attribute or style.
  const switched = new MutationObserver(follow);
  for (const each of [document.documentElement, document.body]) {
    switched.observe(each, { attributes: true });
  }
  // It has a size when it is in the document, where it may come later.
  const sized = new ResizeObserver(follow);
  sized.observe(host);
  signal.addEventListener("abort", () => {
    switched.disconnect();
    sized.disconnect();
    host.remove();
  });
  return host.attachShadow({ mode: "open" });
}
