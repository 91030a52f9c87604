/**
 * A button with a menu, and what its choices need of the browser: downloads, the clipboard, a large
 * picture, a table. `dpviz/widgets/base/files.py` documents its traits and messages.
 */

import type { Host, Undo } from "../live/models";
import { receive } from "../live/receive";
import { make, openDialog, table } from "./dialog";
import { copy, download, imageOf, png } from "./files";

/** The synced traits of `ActionMenu`. */
interface Traits {
  own: string;
  label: string;
  hint: string;
  items: [string, string][];
  said: string;
}

/** What the kernel sends for a choice. */
interface Answer {
  do: "download" | "png" | "picture" | "table" | "copy";
  name: string;
  type?: string;
  text?: string;
  head?: string[];
  rows?: string[][];
}

async function render({ model, el }: { model: Host<Traits>; el: HTMLElement }): Promise<Undo | void> {
  receive(model);
  const own = await model.widget_manager.get_model(model.get("own"));
  if (!own.comm_live) return; // every choice needs the kernel

  const button = make("button", model.get("label"), {
    type: "button",
    class: "dpviz-menu-button jupyter-button",
    "aria-haspopup": "menu",
    "aria-expanded": "false",
  });
  const menu = make("div", "", { role: "menu", popover: "auto", class: "dpviz-menu" });
  const said = make("span", model.get("said"), { class: "dpviz-menu-said" });
  const isRow = !model.get("label");
  if (isRow) {
    menu.role = "group";
    menu.removeAttribute("popover");
    menu.className = "dpviz-menu-row";
  }
  const items = (): HTMLElement[] => Array.from(menu.querySelectorAll("button"));

  const fill = (): void => {
    const made = model.get("items").map(([key, text]) => {
      const item = make("button", text, { type: "button" });
      if (isRow) item.className = "jupyter-button";
      else {
        item.role = "menuitem";
        item.tabIndex = -1;
      }
      item.onclick = () => {
        if (!isRow) close();
        model.send({ do: key });
      };
      return item;
    });
    menu.replaceChildren(...made);
  };
  const close = (): void => {
    menu.hidePopover();
    button.focus();
  };
  const open = (): void => {
    menu.showPopover();
    const [at, size] = [button.getBoundingClientRect(), menu.getBoundingClientRect()];
    const left = Math.min(at.left, innerWidth - size.width - 8);
    const below = at.bottom + size.height + 4 <= innerHeight;
    menu.style.left = `${Math.max(8, left)}px`;
    menu.style.top = `${Math.max(8, below ? at.bottom + 2 : at.top - size.height - 2)}px`;
    items()[0]?.focus();
  };
  button.onclick = () => (menu.matches(":popover-open") ? menu.hidePopover() : open());
  button.onkeydown = (event) => {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    open();
  };
  menu.addEventListener("toggle", () => {
    button.ariaExpanded = String(menu.matches(":popover-open"));
  });
  menu.onkeydown = (event) => {
    if (isRow) return;
    event.stopPropagation();
    const all = items();
    const now = all.indexOf(document.activeElement as HTMLElement);
    const steps: Record<string, number> = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: -1 };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    all.at(next % all.length)?.focus();
  };

  const answered = async (answer: Answer, buffers: DataView[]): Promise<void> => {
    const { name, type, text = "" } = answer;
    const file = (): Blob => new Blob(buffers as BlobPart[], { type: type! });
    if (answer.do === "download") download(name, file());
    else if (answer.do === "png") download(name, await png(file()));
    else if (answer.do === "copy") await copy(text);
    else if (answer.do === "table") openDialog(name, table(answer.head!, answer.rows!), focus);
    else {
      const body = make("div", "", { class: "dpviz-dialog-body" });
      body.append(await imageOf(file(), text));
      openDialog(name, body, focus);
    }
  };
  const focus = (): void => button.focus();
  const name = (): void => {
    button.ariaLabel = menu.ariaLabel = button.title = model.get("hint");
  };
  const say = (): void => void (said.textContent = model.get("said"));
  model.on("msg:custom", answered);
  model.on("change:items", fill);
  model.on("change:hint", name);
  model.on("change:said", say);
  fill();
  name();
  el.dataset.lmSuppressShortcuts = "true";
  el.append(...(isRow ? [] : [button]), menu, said);
  return () => {
    model.off("msg:custom", answered);
    model.off("change:items", fill);
    model.off("change:hint", name);
    model.off("change:said", say);
  };
}

export default { render };
