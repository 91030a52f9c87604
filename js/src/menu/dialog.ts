/** A dialog that fills the window; Esc closes it and the focus goes back to where it was. */

/** Make an element with a text, which is data. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  text = "",
  attributes: Record<string, string> = {},
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** Show content under a title until it is closed. */
export function openDialog(title: string, content: HTMLElement, closed: () => void): void {
  const dialog = make("dialog", "", { class: "dpviz-dialog", "aria-label": title });
  const close = make("button", "✕", { type: "button", "aria-label": "close" });
  const head = make("div", "", { class: "dpviz-dialog-head" });
  head.append(make("h2", title), close);
  dialog.append(head, content);
  close.onclick = () => dialog.close();
  dialog.onkeydown = (event) => event.stopPropagation(); // the notebook has keys of its own
  dialog.onclose = () => {
    dialog.remove();
    closed();
  };
  document.body.append(dialog);
  dialog.showModal();
}

export function table(head: string[], rows: string[][]): HTMLElement {
  const made = make("table");
  const first = made.createTHead().insertRow();
  for (const text of head) first.append(make("th", text, { scope: "col" }));
  const body = made.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    for (const text of row) line.append(make("td", text));
  }
  const scrolled = make("div", "", { class: "dpviz-dialog-body", tabindex: "0", role: "group" });
  scrolled.ariaLabel = "table";
  scrolled.append(made);
  return scrolled;
}
