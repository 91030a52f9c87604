/**
 * A saved page: its controls, closed forms and sentences, without Python.
 *
 * dpviz/pictures/page.py writes the page; its data are in one block of JSON.
 */

import { number, type Changes } from "../state/state";
import { alive, type Page } from "./page";

/** Let the page of the document follow its controls. */
export function startSaved(data: HTMLElement): void {
  data.remove(); // another script of the document shall not start it again
  const page = JSON.parse(data.textContent!) as Page;
  const { state } = page;
  const reset = document.getElementById("saved-reset") as HTMLButtonElement;
  let changes: Changes = {};

  /** The saved values, under the names of changes. */
  const saved = (name: string): number | null | undefined => {
    const found = name in state ? state[name as "fnr"] : state.claim?.parameters[name.slice(6)];
    return found && number(found);
  };
  const request = (requested: Changes): void => {
    const every = Object.entries({ ...changes, ...requested });
    changes = Object.fromEntries(every.filter(([name, value]) => value !== saved(name)));
    reset.disabled = !Object.keys(changes).length;
  };
  request({});
  const { draw } = alive(document, page, { changes: () => changes, request }, new AbortController().signal);
  reset.addEventListener("click", () => {
    changes = {};
    request({});
    document.getElementById("saved-error")!.textContent = "";
    draw();
  });
}
