/** Dark pages that do not name their theme: the colour of texts tells, as they follow the page. */

const NAMED = "[data-jp-theme-light], .vscode-dark, .vscode-light";

/** Give the view around an element, or another, the colours for the page that the element stands on. */
export function followTheme(element: Element, view = element.closest(".dpviz")): void {
  if (element.closest(NAMED)) return; // the style sheet knows
  const [red = 0, green = 0, blue = 0] =
    getComputedStyle(element).color.match(/[\d.]+/g)?.map(Number) ?? [];
  const isDark = red + green + blue > 3 * 128; // light letters
  view?.classList.toggle("dpviz-on-dark", isDark);
}
