/**
 * The page that would be saved as a widget, alive with Python: `dpviz/widgets/live_page.py`
 * documents its traits. The browser draws what it can at once; when the user lets go, Python gets
 * the changes, and writes the page anew.
 */

import { listen, type Host, type Model, type Undo } from "../live/models";
import { receive } from "../live/receive";
import { pendingChanges, type PendingChanges } from "../state/pending_changes";
import type { ChangeMessage, Changes } from "../state/state";
import { hostIn } from "./host";
import { morph } from "./morph";
import { alive, type Page } from "./page";

interface Traits {
  page: Written;
  hand: ChangeMessage;
}

interface Written {
  html: string;
  /** Null where the browser cannot draw the claim. */
  script: Page | null;
  /** The serial number of the last message that Python has processed. */
  answers: number;
}

/** One for all views of a model, or a message of one view would replace that of another. */
const PENDING = new WeakMap<object, PendingChanges>();

export function render({ model, el }: { model: Host<Traits>; el: HTMLElement }): Undo {
  const ended = new AbortController();
  const signal = ended.signal;
  const root = hostIn(el, signal);
  const own = receive(model);
  const pending = PENDING.get(own) ?? pendingChanges(model.get("page").answers);
  PENDING.set(own, pending);
  let written = new AbortController();
  let isHeld = false;
  let unsaid: ChangeMessage | undefined;
  let isNew = false;

  const tell = (): void => {
    if (isHeld || !unsaid) return;
    model.set("hand", unsaid);
    model.save_changes();
    unsaid = undefined;
  };
  /** Write what Python has sent, unless the user holds what would be written. */
  const follow = (): void => {
    isNew = isHeld;
    if (isHeld) return;
    written.abort();
    written = new AbortController();
    const { html, script, answers } = model.get("page");
    pending.answered(answers);
    const template = document.createElement("template");
    template.innerHTML = html;
    morph(root, template.content);
    if (script) alive(root, script, { changes: pending.changes, request }, written.signal);
  };
  const request = (requested: Changes): void => {
    unsaid = pending.add("", requested);
    tell();
  };
  /** What another button opens, such as a menu, may keep its end from the page. */
  const hold = (event: Event): void => {
    const { button, ctrlKey } = event as PointerEvent;
    isHeld ||= !button && !ctrlKey; // with Ctrl it is the other button of a Mac
  };
  const letGo = (): void => {
    isHeld = false;
    tell();
    if (isNew) follow();
  };
  root.addEventListener("pointerdown", hold, { signal });
  for (const end of ["pointerup", "pointercancel", "contextmenu"]) {
    document.addEventListener(end, letGo, { signal });
  }
  const undo = listen(model as unknown as Model, ["page"], follow);
  follow();
  return () => [letGo, undo, () => written.abort(), () => ended.abort()].forEach((each) => each());
}
