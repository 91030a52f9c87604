import { unbroken } from "./number_format";

/**
 * Write a text, which is data, without line breaks inside numbers, where browsers would break after a hyphen.
 * The verb of the headline has an element of its own, which may be an emphasis.
 */
export function write(element: Element, text: string, verb = "span"): void {
  const shown = unbroken(text);
  const written = (textContent: string, i: number): string | Node =>
    i % 2
      ? Object.assign(document.createElement(textContent > "a" ? verb : "span"), { textContent, style: "white-space:nowrap" })
      : textContent;
  if (element.textContent !== shown) element.replaceChildren(...shown.split(/(contradict|\de-\d)/).map(written));
}
