import { unbroken } from "./number_format";

/** Write a text, which is data, without line breaks where `unbroken` has none, or inside a number. */
export function write(element: Element, text: string): void {
  const shown = unbroken(text);
  if (element.textContent === shown) return;
  element.textContent = shown;
  element.innerHTML = element.innerHTML.replace(/[\d.]+e-\d+/g, '<span style="white-space:nowrap">$&</span>');
}
