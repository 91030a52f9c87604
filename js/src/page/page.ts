/** The controls, closed forms and sentences of a page that Python wrote, moved without Python. */

import { epsilonAt } from "../theory/closed_forms";
import { LAYERS, type Layer } from "../state/layers";
import { framed } from "../state/once_per_frame";
import { savedControl, type SavedControl } from "./control";
import { savedPicture, type SavedPicture } from "./picture";
import { sentences, type Words } from "../text/sentences";
import { write } from "../text/write";
import { changed, claimOf, shown, type Changes, type Shown, type State } from "../state/state";

/** Where the elements of a page are, each with an id of its own. */
export type Root = Document | ShadowRoot;

/** As `script_data` in dpviz/pictures/page.py writes it. */
export interface Page {
  state: State;
  words: Words;
  controls: SavedControl[];
  pictures: SavedPicture[];
  /** Paths of handles at (0, 0), by their shapes. */
  markers: Record<string, string>;
  /** Whether marks are drawn without their labels for now. */
  isBare?: boolean;
  /** Layers and texts beside those that a claim decides, where the browser knows the scores. */
  layers?: Record<string, Layer>;
  texts?(shown: Shown): Words;
}

/** What the user has changed since Python wrote the page. */
export interface Changing {
  changes(): Changes;
  request(requested: Changes): void;
}

export interface Alive {
  draw(): void;
  label(): void;
}

/** Let the page follow its controls and `changing` until `signal`. */
export function alive(root: Root, page: Page, changing: Changing, signal: AbortSignal): Alive {
  const { state, words, controls, pictures, markers } = page;
  const layers = { ...LAYERS, ...page.layers };
  const all = (selector: string): HTMLElement[] => Array.from(root.querySelectorAll(selector));
  const back = root.getElementById("saved-back") as HTMLButtonElement;

  const showError = (message: string): void => {
    root.getElementById("saved-error")!.textContent = message;
  };
  const request = (requested: Changes): void => {
    showError("");
    changing.request(requested);
    draw();
  };
  const change = (field: string, value: number | string): void => {
    if (typeof value === "number") request({ [field]: value });
    else showError(value);
  };
  /** Only Python can measure the attack at another FPR: the point stays where it was measured. */
  const now = (): Shown => {
    const { fpr, ...others } = changing.changes();
    const current = shown(state, changing.changes())!;
    return { ...current, point: current.point ?? shown(state, others)!.point };
  };
  const drawControls = all(".control").map((each, i) =>
    savedControl(each, controls[i]!, change, signal),
  );
  const drawPictures = pictures.map((each) =>
    savedPicture(root, each, layers, markers, request, now, signal),
  );

  const label = (): void => drawPictures.forEach((each) => each.label());
  const draw = framed(() => {
    const changes = changing.changes();
    const isChanged = Object.keys(changes).length > 0;
    const [current, next] = [now(), changed(state, changes)];
    // Fixed is only an epsilon that is implied.
    if (isChanged && state.fixed.length) next.epsilon = epsilonAt(claimOf(next.claim!), next.delta);
    drawControls.forEach((each) => each(next));
    drawPictures.forEach((each) => each.draw(current, words));
    if (!page.isBare) label();

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
    Object.assign(texts, page.texts?.(current));
    for (const element of all("[data-sentence]")) write(element, texts[element.dataset.sentence!]!);
    for (const element of all("[data-late]")) {
      write(element, isChanged ? words[`late.${element.dataset.late}`]! : "");
    }
    back.disabled = next.fnr == null;
  });
  back.addEventListener("click", () => request({ fnr: null }), { signal });
  signal.addEventListener("abort", draw.cancel);
  draw();
  return { draw, label };
}
