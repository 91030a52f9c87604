/**
 * A place to drop a file, and a button for those who cannot drop.
 *
 * `dpviz/widgets/upload.py` says what its traits are and hears its messages. Names of files are
 * data: they are only ever written as text.
 */

import type { Model, Undo } from "./models";
import { amount, sending, type Sending } from "./upload_pieces";

/** The synced traits of `Upload`. */
interface Traits {
  accept: string;
  limit: number;
  words: Record<string, string>;
  fallback: string;
}

/** What the kernel says of an upload: how much of it is there, or that no more is wanted. */
interface Answer {
  id: string;
  taken?: number;
  stopped?: boolean;
}

interface Host {
  get<K extends keyof Traits>(name: K): Traits[K];
  on(events: string, callback: (answer: Answer) => void): void;
  off(events: string, callback: (answer: Answer) => void): void;
  send(content: unknown, callbacks?: unknown, buffers?: ArrayBuffer[]): void;
  widget_manager: { get_model(id: string): Promise<Model> };
}

interface Upload {
  id: string;
  file: File;
  sending: Sending;
}

const LONGEST = 60;

/** A name on one line, without what would turn or hide other text. */
function shown(name: string): string {
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

function button(textContent: string, onclick: () => void): HTMLButtonElement {
  const element = make("button", { type: "button", textContent, onclick });
  element.className = "jupyter-widgets jupyter-button";
  element.dataset.lmSuppressShortcuts = "true";
  return element;
}

async function render({ model, el }: { model: Host; el: HTMLElement }): Promise<Undo | void> {
  const words = (name: string, slots: Record<string, string> = {}): string =>
    model.get("words")[name]!.replace(/\{(\w+)\}/g, (_, slot) => slots[slot]!);
  /** What is on its way now, from this view. */
  let now: Upload | undefined;

  const input = make("input", { type: "file", hidden: true, accept: model.get("accept") });
  const choose = button(words("choose"), () => input.click());
  const invited = make("span", {});
  const progress = make("progress", { ariaLabel: words("going") });
  const name = make("bdi", {});
  const far = make("span", {});
  const going = make("div", { className: "dpviz-upload-going", hidden: true }, name, progress, far);
  const refused = make("div", { className: "dpviz-error", role: "alert", hidden: true });
  const invite = make("div", { className: "dpviz-upload-invite" }, choose, invited);
  const zone = make("div", { className: "dpviz-upload", role: "group" }, invite, input, going);
  zone.ariaLabel = words("label");

  const draw = (taken = 0): void => {
    invited.textContent = words("drop");
    if (!now && going.contains(document.activeElement)) choose.focus();
    going.hidden = !now;
    if (!now) return;
    const { size } = now.file;
    name.textContent = shown(now.file.name);
    [progress.max, progress.value] = [size || 1, taken];
    far.textContent = words("far", { taken: amount(taken), size: amount(size) });
  };
  const end = (): void => {
    now?.sending.stop();
    now = undefined;
    draw();
  };
  const giveUp = (): void => {
    if (now) model.send({ do: "cancel", id: now.id });
    end();
  };
  const refuse = (message: string): void => {
    refused.textContent = message;
    refused.hidden = !message;
  };
  const begin = (files: FileList | null | undefined): void => {
    const file = files?.[0];
    if (!file) return;
    const slots = { name: shown(file.name), size: amount(file.size), n: `${files.length}` };
    const reason = files.length > 1 ? "many" : file.size > model.get("limit") ? "too_large" : "";
    refuse(reason && words(reason, slots));
    if (reason) return;
    now?.sending.stop();
    const id = `${Math.random()}`;
    const send = (message: unknown, piece?: ArrayBuffer): void =>
      model.send(message, undefined, piece && [piece]);
    const failed = (): void => {
      giveUp();
      refuse(words("unreadable", slots));
    };
    now = { id, file, sending: sending(file, id, send, failed) };
    draw();
  };
  const answered = ({ id, taken, stopped }: Answer): void => {
    if (!now || now.id !== id) return;
    if (stopped || taken === now.file.size) return end();
    draw(taken);
    void now.sending.taken(taken!);
  };

  going.append(button(words("cancel"), giveUp));
  input.onchange = () => {
    begin(input.files);
    input.value = ""; // so that the same file can be chosen again
  };
  const over = (event: DragEvent, isOver: boolean): void => {
    event.preventDefault();
    event.stopPropagation();
    zone.classList.toggle("dpviz-upload-over", isOver);
  };
  zone.ondragover = (event) => over(event, true);
  zone.ondragleave = (event) => over(event, false);
  zone.ondrop = (event) => {
    over(event, false);
    begin(event.dataTransfer?.files);
  };

  // What stands here where this file does not load; it also knows whether there is a kernel.
  const fallback = await model.widget_manager.get_model(model.get("fallback").slice(10));
  const layout: Model = fallback.get("layout");
  layout.set({ display: "none" });
  if (!fallback.comm_live) return;
  layout.save_changes();
  const said = (): void => draw(progress.value);
  draw();
  model.on("msg:custom", answered);
  model.on("change:words", said);
  el.append(zone, refused);
  return () => {
    giveUp();
    model.off("msg:custom", answered);
    model.off("change:words", said);
  };
}

export default { render };
