/**
 * The browser's half of an upload; `dpviz/widgets/upload.py` documents its traits and
 * receives its messages.
 */

import type { Host, Model, Undo } from "../live/models";
import { receive } from "../live/receive";
import { amount, sending, type Sending } from "./pieces";
import { shown, zone, type TextOf } from "./zone";

/** The synced traits of `Upload`. */
interface Traits {
  accept: string;
  limit: number;
  words: Record<string, string>;
  fallback: string;
}

/** A message of the kernel: how many bytes it has, or that an upload, or any, is cancelled. */
interface Answer {
  id?: string;
  taken?: number;
  stopped?: boolean;
}

async function render({ model, el }: { model: Host<Traits>; el: HTMLElement }): Promise<Undo | void> {
  receive(model);
  /** The upload that this view is sending. */
  let now: { id: string; file: File; sending: Sending } | undefined;

  const text: TextOf = (name, slots = {}) =>
    model.get("words")[name]!.replace(/\{(\w+)\}/g, (_, slot) => slots[slot]!);
  const begin = (files: FileList): void => {
    const file = files[0];
    if (!file) return;
    const slots = { name: shown(file.name), size: amount(file.size), n: `${files.length}` };
    const reason = files.length > 1 ? "many" : file.size > model.get("limit") ? "too_large" : "";
    seen.refuse(reason && text(reason, slots));
    if (reason) return;
    now?.sending.stop();
    const id = `${Math.random()}`;
    const send = (message: unknown, piece?: ArrayBuffer): void =>
      model.send(message, undefined, piece && [piece]);
    const failed = (): void => {
      cancel();
      seen.refuse(text("unreadable", slots));
    };
    now = { id, file, sending: sending(file, id, send, failed) };
    seen.going(file);
  };
  const end = (): void => {
    now?.sending.stop();
    now = undefined;
    seen.going();
  };
  const cancel = (): void => {
    if (now) model.send({ do: "cancel", id: now.id });
    end();
  };
  const answered = ({ id, taken, stopped }: Answer): void => {
    if (!now || (id && now.id !== id)) return;
    if (stopped || taken === now.file.size) return end();
    seen.going(now.file, taken);
    void now.sending.taken(taken!);
  };
  const seen = zone(text, model.get("accept"), begin, cancel);

  // The fallback that is shown where this file does not load; it also knows if there is a kernel.
  const fallback = await model.widget_manager.get_model(model.get("fallback").slice(10));
  const layout: Model = fallback.get("layout");
  layout.set({ display: "none" });
  if (!fallback.comm_live) return;
  layout.save_changes();
  seen.invite();
  el.append(seen.element);
  model.on("msg:custom", answered);
  model.on("change:words", seen.invite);
  return () => {
    cancel();
    model.off("msg:custom", answered);
    model.off("change:words", seen.invite);
  };
}

export default { render };
