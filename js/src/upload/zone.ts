/** The elements of an upload: a button, a drop zone, a bar. File names are never markup. */

import { amount } from "./pieces";

/** A text by its name, with its placeholders filled. */
export type TextOf = (name: string, slots?: Record<string, string>) => string;

export interface Zone {
  element: HTMLElement;
  /** Update the texts. */
  invite(): void;
  /** Show the progress of a file; without a file, nothing is being sent. */
  going(file?: File, taken?: number): void;
  /** Show why a file is rejected; empty if it is accepted. */
  refuse(message: string): void;
}

const LONGEST = 60;

/** A name on one line, without characters that reverse or hide other text. */
export function shown(name: string): string {
  const line = [...name.replace(/\p{C}/gu, "\ufffd")];
  return line.length > LONGEST ? `${line.slice(0, LONGEST).join("")}...` : line.join("");
}

function make<K extends keyof HTMLElementTagNameMap>(
  kind: K,
  about: Partial<HTMLElementTagNameMap[K]>,
  ...children: Node[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(kind), about);
  element.append(...children);
  return element;
}

/** A button in the style of ipywidgets, whose keys notebooks do not intercept. */
function button(textContent: string, onclick: () => void): HTMLButtonElement {
  const className = "jupyter-widgets jupyter-button";
  const element = make("button", { type: "button", textContent, onclick, className });
  element.dataset.lmSuppressShortcuts = "true";
  return element;
}

/** Build the elements; `chosen` is called with the files that the user chose or dropped. */
export function zone(
  text: TextOf,
  accept: string,
  chosen: (files: FileList) => void,
  cancelled: () => void,
): Zone {
  const input = make("input", { type: "file", hidden: true, accept });
  input.onchange = () => {
    chosen(input.files!);
    input.value = ""; // so that the same file can be chosen again
  };
  const choose = button(text("choose"), () => input.click());
  const invited = make("span", {});
  const invite = make("div", { className: "dpviz-upload-invite" }, choose, invited, input);

  const [name, share] = [make("bdi", {}), make("span", {})];
  const bar = make("progress", { ariaLabel: text("going") });
  const cancel = button(text("cancel"), cancelled);
  const going = make("div", { className: "dpviz-upload-going" }, name, bar, share, cancel);
  going.hidden = true;
  const refused = make("div", { role: "alert" });
  const place = make("div", { className: "dpviz-upload", role: "group" }, invite, going, refused);
  place.ariaLabel = text("label");

  const over = (event: DragEvent, isOver: boolean): void => {
    event.preventDefault();
    event.stopPropagation();
    place.classList.toggle("dpviz-upload-over", isOver);
  };
  place.ondragover = (event) => over(event, true);
  place.ondragleave = (event) => over(event, false);
  place.ondrop = (event) => {
    over(event, false);
    chosen(event.dataTransfer!.files);
  };

  return {
    element: place,
    invite: () => void (invited.textContent = text("drop")),
    going(file, taken = 0) {
      if (!file && going.contains(document.activeElement)) choose.focus();
      going.hidden = !file;
      if (!file) return;
      name.textContent = shown(file.name);
      bar.value = taken / (file.size || 1);
      const percent = Math.floor(100 * bar.value);
      share.textContent = text("far", { share: `${percent}`, size: amount(file.size) });
    },
    refuse(message) {
      refused.textContent = message;
      refused.className = message && "dpviz-error";
    },
  };
}
