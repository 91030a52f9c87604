/**
 * A row of tabs: `dpviz/widgets/controls/column.py` documents its traits. One tab is in the
 * sequence of Tab; arrow keys, Home and End select another.
 */

import type { Host, Model } from "../live/models";
import { receive } from "../live/receive";

interface Traits {
  tabs: [name: string, title: string][];
  selected: string;
  shown: string;
  is_waiting: boolean;
}

let bars = 0;

/** The place that a key goes to from another; undefined for any other key. */
export function target(key: string, place: number, length: number): number | undefined {
  if (key === "ArrowRight") return (place + 1) % length;
  if (key === "ArrowLeft") return (place + length - 1) % length;
  if (key === "Home") return 0;
  if (key === "End") return length - 1;
  return undefined;
}

function render({ model, el }: { model: Host<Traits>; el: HTMLElement }): () => void {
  const own = receive(model) as Model;
  const id = `dpviz-tabs-${bars++}`;
  el.role = "tablist";
  el.ariaLabel = "questions";
  el.classList.add("dpviz-tabs");

  const select = (name: string): void => {
    if (own.comm_live === false) return; // its views need the kernel
    model.set("selected", name);
    model.save_changes();
  };
  const make = ([name, title]: [string, string]): HTMLElement => {
    const tab = document.createElement("button");
    Object.assign(tab, { type: "button", role: "tab", id: `${id}-${name}`, textContent: title });
    tab.dataset.title = title;
    tab.dataset.lmSuppressShortcuts = "true"; // Notebook 7 would intercept its arrow keys
    tab.onclick = () => select(name);
    return tab;
  };
  const tabs = (): HTMLElement[] => Array.from(el.children) as HTMLElement[];
  /** Tell the panel, which is another widget, whose it is. */
  const link = (): void => {
    const panel = el.closest(".dpviz-Explorer")?.querySelector(".dpviz-panel");
    if (!panel) return;
    panel.id = `${id}-panel`;
    panel.role = "tabpanel";
    panel.setAttribute("aria-labelledby", `${id}-${model.get("selected")}`);
    panel.ariaBusy = `${model.get("selected") !== model.get("shown") || model.get("is_waiting")}`;
    for (const tab of tabs()) tab.setAttribute("aria-controls", panel.id);
  };
  const follow = (): void => {
    for (const tab of tabs()) {
      const isSelected = tab.id === `${id}-${model.get("selected")}`;
      tab.ariaSelected = `${isSelected}`;
      tab.tabIndex = isSelected ? 0 : -1;
    }
    link();
  };
  /** Without a kernel nothing more arrives: the tab whose views are there is the selected one. */
  const lose = (): void => {
    if (own.comm_live !== false) return;
    if (model.get("shown")) model.set("selected", model.get("shown"));
    model.set("is_waiting", false);
    for (const tab of tabs()) tab.ariaDisabled = `${tab.ariaSelected !== "true"}`;
  };
  const draw = (): void => {
    el.replaceChildren(...model.get("tabs").map(make));
    follow();
  };
  el.onkeydown = (event) => {
    const names = model.get("tabs").map(([name]) => name);
    const next = target(event.key, names.indexOf(model.get("selected")), names.length);
    if (next === undefined) return;
    event.preventDefault();
    select(names[next]!);
    tabs()[next]!.focus();
  };
  model.on("change:tabs", draw);
  model.on("change:selected", follow);
  model.on("change:shown", link);
  model.on("change:is_waiting", link);
  own.on("comm_live_update", lose);
  const seen = new ResizeObserver(link); // once it is on the page, and the panel with it
  seen.observe(el);
  draw();
  return () => {
    seen.disconnect();
    model.off("change:tabs", draw);
    model.off("change:selected", follow);
    model.off("change:shown", link);
    model.off("change:is_waiting", link);
    own.off("comm_live_update", lose);
  };
}

export default { render };
