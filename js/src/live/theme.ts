/** Dark pages that do not name their theme: the colour of texts tells, as they follow the page. */

/** Pages that name their theme. */
export const NAMED = "[data-jp-theme-light], .vscode-dark, .vscode-light";

/** Give the view around an element, or another, the colours for the page that the element stands on. */
export function followTheme(element: Element, view = element.closest(".dpviz")): void {
  if (!element.closest(NAMED)) view?.classList.toggle(ON_DARK, isOnDark(element)); // else the style sheet knows
}

export const ON_DARK = "dpviz-on-dark";

/** Whether an element has light letters, in whichever notation its page writes colours. */
export function isOnDark(element: Element): boolean {
  const { color } = getComputedStyle(element);
  const numbers = color.match(/(?<=[( ])[\d.]+(e-?\d+)?/g)?.map(Number) ?? [];
  const [first = 0, second = 0, third = 0] = numbers;
  // lab() and lch() begin with a lightness of at most 100, oklab() and oklch() with one of at most 1.
  if (/^(ok)?l/.test(color)) return first > (color.startsWith("ok") ? 0.5 : 50);
  const white = color.startsWith("rgb") ? 255 : 1;
  return first + second + third > 1.5 * white;
}
