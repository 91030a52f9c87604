/**
 * A saved page: its controls, closed forms and sentences, without Python.
 *
 * dpviz/pictures/saved/page.py writes the page; its data are in one block of JSON.
 */

import { epsilonAt } from "../theory/closed_forms";
import { framed } from "../state/once_per_frame";
import { savedControl, type SavedControl } from "./control";
import { savedPicture, type SavedPicture } from "./picture";
import { sentences, type Words } from "../text/sentences";
import {
  changed,
  claimOf,
  number,
  shown,
  type Changes,
  type Shown,
  type State,
} from "../state/state";

interface Page {
  state: State;
  words: Words;
  controls: SavedControl[];
  pictures: SavedPicture[];
  /** Paths of handles at (0, 0), by their shapes. */
  markers: Record<string, string>;
}

const byId = (id: string): HTMLElement => document.getElementById(id)!;
const all = (selector: string): HTMLElement[] => Array.from(document.querySelectorAll(selector));

const page = JSON.parse(byId("saved-data").textContent!) as Page;
const { state, words, controls, pictures, markers } = page;
const back = byId("saved-back") as HTMLButtonElement;
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
  showError("");
  draw();
}

function showError(message: string): void {
  byId("saved-error").textContent = message;
}

function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Only Python can measure the attack at another FPR: the point stays where it was measured. */
function now(): Shown {
  const { fpr, ...others } = changes;
  const current = shown(state, changes)!;
  return { ...current, point: current.point ?? shown(state, others)!.point };
}

const change = (field: string, value: number | string): void => {
  if (typeof value === "number") request({ [field]: value });
  else showError(value);
};
const drawControls = all(".control").map((root, i) => savedControl(root, controls[i]!, change));
const drawPictures = pictures.map((each) => savedPicture(each, markers, request, now));

const draw = framed(() => {
  const isChanged = Object.keys(changes).length > 0;
  const [current, next] = [now(), changed(state, changes)];
  // Fixed is only an epsilon that is implied.
  if (isChanged && state.fixed.length) next.epsilon = epsilonAt(claimOf(next.claim!), next.delta);
  drawControls.forEach((each) => each(next));
  drawPictures.forEach((each) => each(current, words));

  const alone = state.measured ? words.alone! : "";
  const { tradeoff, risk, "tradeoff_lead": lead } = state.tails;
  const texts = sentences(current, words, {
    ...state.tails,
    tradeoff: "fpr" in changes ? alone : tradeoff!,
    risk: isChanged ? alone : risk!,
    "tradeoff_lead": "fpr" in changes ? `.${alone}` : lead!,
    waiting: alone,
  });
  if ("fpr" in changes && current.point!.source === "attack") texts.region += alone;
  for (const element of all("[data-sentence]")) write(element, texts[element.dataset.sentence!]!);
  for (const element of all("[data-late]")) {
    write(element, isChanged ? words[`late.${element.dataset.late}`]! : "");
  }
  back.disabled = next.fnr === null;
  reset.disabled = !isChanged;
});

back.addEventListener("click", () => request({ fnr: null }));
reset.addEventListener("click", () => {
  changes = {};
  request({});
});
draw();
