/** Dark pages that do not name their theme: the colour of texts tells, as they follow the page. */

/** Pages that name their theme. */
export const NAMED = "[data-jp-theme-light], .vscode-dark, .vscode-light";

/** Give the view around an element, or another, the colours for the page that the element stands on. */
export function followTheme(element: Element, view = element.closest(".dpviz")): void {
  if (!element.closest(NAMED)) view?.classList.toggle(ON_DARK, isOnDark(element)); // else the style sheet knows
}

export const ON_DARK = "dpviz-on-dark";

/** Whether an element has light letters. */
export function isOnDark(element: Element): boolean {
  const [red = 0, green = 0, blue = 0] =
    getComputedStyle(element).color.match(/[\d.]+/g)?.map(Number) ?? [];
  return red + green + blue > 3 * 128;
}
