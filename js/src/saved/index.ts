/**
 * A saved page: its controls, closed forms and sentences, without Python.
 *
 * dpviz/pictures/page.py writes the page; its data are in one block of JSON.
 */

import { number, type Changes } from "../state/state";
import { alive, type Page } from "./page";

const byId = (id: string): HTMLElement => document.getElementById(id)!;
const page = JSON.parse(byId("saved-data").textContent!) as Page;
const { state } = page;
const reset = byId("saved-reset") as HTMLButtonElement;
let changes: Changes = {};

/** The saved values, under the names of changes. */
function saved(name: string): number | null | undefined {
  const found = name in state ? state[name as "fnr"] : state.claim?.parameters[name.slice(6)];
  return found && number(found);
}

function request(requested: Changes): void {
  const every = Object.entries({ ...changes, ...requested });
  changes = Object.fromEntries(every.filter(([name, value]) => value !== saved(name)));
  reset.disabled = !Object.keys(changes).length;
}

request({});
const draw = alive(document, page, { changes: () => changes, request }, new AbortController().signal);
reset.addEventListener("click", () => {
  changes = {};
  request({});
  byId("saved-error").textContent = "";
  draw();
});
