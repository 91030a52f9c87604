/** The part of an ipywidgets model that is used here, and how to control one without its kernel. */

import { write } from "../text/write";

export interface Model {
  get(name: string): any;
  set(values: Record<string, unknown>): void;
  on(events: string, callback: () => void): void;
  off(events: string, callback: () => void): void;
  save_changes(callbacks?: unknown): void;
  send(content: { event?: string }, ...rest: unknown[]): unknown;
  views?: Record<string, Promise<View>>;
  comm_live?: boolean;
  /** What the next `save_changes` would send. */
  _buffered_state_diff?: Record<string, unknown>;
}

/** What is used of a view; all but `el` is of figures only. */
export interface View {
  el: HTMLElement;
  /** Whether the element is in the window, as far as the figure has heard. */
  visible: boolean;
  /** Redraw in the next frame if it is visible and the size of the element has changed. */
  relayout(): void;
  /** Pixels of both ends of a scale in the axes, which leave room for markers at the edge. */
  padded_range(direction: "x" | "y", scale: Model): [number, number];
  on(event: string, callback: () => void): void;
  off(event: string, callback: () => void): void;
}

/** A widget's own model as its script gets it: the synced traits have types. */
export interface Host<Traits> {
  get<K extends keyof Traits>(name: K): Traits[K];
  set<K extends keyof Traits>(name: K, value: Traits[K]): void;
  on(events: string, callback: (...args: any[]) => void): void;
  off(events: string, callback: (...args: any[]) => void): void;
  save_changes(): void;
  send(content: unknown, callbacks?: unknown, buffers?: ArrayBuffer[]): void;
  widget_manager: Manager;
}

/** What is used of the manager of all widgets of a page. */
interface Manager {
  get_model(id: string): Promise<Model>;
  /** Mark all widgets as without a kernel. */
  disconnect(): void;
  kernel?: { disposed: { connect(act: () => void): void } } | null;
}

/** From a reference to a widget to its model. */
export type Find = (reference: string) => Promise<Model>;

/** Undo an action. */
export type Undo = () => void;

/** Call back when any of these attributes changes. */
export function listen(model: Model, names: string[], callback: () => void): Undo {
  const events = names.map((name) => `change:${name}`).join(" ");
  model.on(events, callback);
  return () => model.off(events, callback);
}

/** Call back when the kernel of a model is gone, or back again. */
export function lost(model: Model, callback: () => void): Undo {
  model.on("comm_live_update", callback);
  return () => model.off("comm_live_update", callback);
}

/** Wrap a method of a model. */
function wrap<Name extends "send" | "save_changes">(
  model: Model,
  name: Name,
  around: (own: Model[Name]) => Model[Name],
): Undo {
  const own = model[name];
  model[name] = around(own);
  return () => void (model[name] = own);
}

/** Keep changes of these attributes in the browser, which owns them instead of the kernel. */
export function mute(model: Model, names: string[]): Undo {
  return wrap(model, "save_changes", (save) => (callbacks) => {
    for (const name of names) delete model._buffered_state_diff?.[name];
    save.call(model, callbacks);
  });
}

/** Keep messages in the browser whose event `takes` accepts. */
export function take(model: Model, takes: (event?: string) => unknown): Undo {
  return wrap(model, "send", (send) => (content, ...rest) => {
    return takes(content.event) || send.call(model, content, ...rest);
  });
}

/** Text as a block of HTML; the text is data. */
export function block(name: string, text: string, role?: string): string {
  const element = document.createElement("div");
  element.className = `dpviz-${name}`;
  if (role) element.setAttribute("role", role);
  write(element, text);
  return text && element.outerHTML;
}
