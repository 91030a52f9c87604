/** What is seen of an upload: a button, a place to drop, a bar. Names of files are only ever text. */

import { amount } from "./upload_pieces";

/** A text by its name, with its slots filled. */
export type Say = (name: string, slots?: Record<string, string>) => string;

export interface Zone {
  element: HTMLElement;
  /** Write what may have changed. */
  invite(): void;
  /** How much of a file is there; without a file, nothing is on its way. */
  going(file?: File, taken?: number): void;
  /** Why a file is not taken; empty where it is. */
  refuse(message: string): void;
}

const LONGEST = 60;

/** A name on one line, without what would turn or hide other text. */
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

/** It looks like the buttons around it; notebooks must not take its keys for themselves. */
function button(textContent: string, onclick: () => void): HTMLButtonElement {
  const className = "jupyter-widgets jupyter-button";
  const element = make("button", { type: "button", textContent, onclick, className });
  element.dataset.lmSuppressShortcuts = "true";
  return element;
}

/** `chosen` gets what a hand chose or dropped. */
export function zone(
  say: Say,
  accept: string,
  chosen: (files: FileList) => void,
  cancelled: () => void,
): Zone {
  const input = make("input", { type: "file", hidden: true, accept });
  input.onchange = () => {
    chosen(input.files!);
    input.value = ""; // so that the same file can be chosen again
  };
  const choose = button(say("choose"), () => input.click());
  const invited = make("span", {});
  const invite = make("div", { className: "dpviz-upload-invite" }, choose, invited, input);

  const [name, share] = [make("bdi", {}), make("span", {})];
  const bar = make("progress", { ariaLabel: say("going") });
  const cancel = button(say("cancel"), cancelled);
  const going = make("div", { className: "dpviz-upload-going" }, name, bar, share, cancel);
  going.hidden = true;
  const refused = make("div", { role: "alert" });
  const place = make("div", { className: "dpviz-upload", role: "group" }, invite, going, refused);
  place.ariaLabel = say("label");

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
    invite: () => void (invited.textContent = say("drop")),
    going(file, taken = 0) {
      if (!file && going.contains(document.activeElement)) choose.focus();
      going.hidden = !file;
      if (!file) return;
      name.textContent = shown(file.name);
      bar.value = taken / (file.size || 1);
      const percent = Math.floor(100 * bar.value);
      share.textContent = say("far", { share: `${percent}`, size: amount(file.size) });
    },
    refuse(message) {
      refused.textContent = message;
      refused.className = message && "dpviz-error";
    },
  };
}
