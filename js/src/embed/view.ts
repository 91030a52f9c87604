/** One embedded view: its elements, its settings, the scores that it was given. */

import { hostIn } from "../page/host";
import { alive, type Page } from "../page/page";
import { claimOf, type Changes, type State } from "../state/state";
import { epsilonAt } from "../theory/closed_forms";
import { max } from "../theory/exponentials";
import { zone, type Zone } from "../upload/zone";
import { Audit, MOST_RECORDS } from "./audit";
import { attackLayers, auditTexts } from "./layers";
import { readScores, Unreadable } from "./read_scores";
import { checked, DEFAULTS, fieldOf, nameOf, NUMBERS, unknownNames, type NumberName, type Settings } from "./settings";
import { stillOf } from "./still";
import { STYLE } from "./style";
import { TEMPLATES } from "./templates";

/** What is drawn: pictures, those that need scores, and the numbers that move them. */
interface Form {
  pictures: string[];
  numbers: NumberName[];
  title: string;
  hasAnswer?: boolean;
}

const OF_CLAIM: NumberName[] = ["epsilon", "delta"];
export const FORMS = {
  board: {
    pictures: ["region", "tradeoff", "epsilon_star", "tail", "risk"],
    numbers: [...OF_CLAIM, "prior", "fpr"],
    title: "Privacy as a hypothesis test",
    hasAnswer: true,
  },
  region: { pictures: ["region"], numbers: OF_CLAIM, title: "Privacy region" },
  tradeoff: { pictures: ["tradeoff"], numbers: [...OF_CLAIM, "fpr"], title: "Trade-off of both errors" },
  epsilonStar: { pictures: ["epsilon_star"], numbers: [...OF_CLAIM, "fpr"], title: "Epsilon*", hasAnswer: true },
  risk: { pictures: ["risk"], numbers: [...OF_CLAIM, "prior", "fpr"], title: "Risk of a record" },
  profile: { pictures: ["profile"], numbers: OF_CLAIM, title: "Privacy profile" },
  mechanism: { pictures: ["ratio"], numbers: OF_CLAIM, title: "Outputs of a mechanism" },
  people: {
    pictures: ["people", "population"],
    numbers: [...OF_CLAIM, "prior", "fpr"],
    title: "What happens to people",
  },
} satisfies Record<string, Form>;
export type Name = keyof typeof FORMS;

/** Pictures that stand only with scores, or only without. */
const NEEDS: Record<string, boolean> = { epsilon_star: true, tail: false };
const WITHOUT_SCORES = ["profile", "mechanism"];
const NO_SCORES = "Epsilon* needs the losses of members and of non-members: choose or drop a CSV.";
const TEXTS: Record<string, string> = {
  choose: "Choose a CSV",
  drop: "or drop it here: losses of members and non-members. The file stays on this page.",
  label: "losses of members and non-members",
  going: "reading",
  cancel: "cancel",
};

export type Options = Record<string, unknown>;
/** Settings, and what was found in the scores; `mu` and results are undefined where there are none. */
export type Values = Settings & {
  fpr: number;
  epsilonStar?: number;
  lowerBound?: number;
  members?: number;
  nonmembers?: number;
};
type Listener = (values: Values) => void;

export class View {
  private readonly host: HTMLElement;
  private readonly root: ShadowRoot;
  private readonly ended = new AbortController();
  private built: AbortController | undefined;
  private readonly listeners = new Set<Listener>();
  private settings: Settings = { ...DEFAULTS };
  private readonly page: Page;
  private audit: Audit | undefined;
  private upload: Zone | undefined;
  private reading = 0;
  private draw = (): void => {};
  private label = (): void => {};

  constructor(element: HTMLElement, readonly name: Name, options: Options = {}) {
    const { signal } = this.ended;
    this.root = hostIn(element, signal);
    this.host = this.root.host as HTMLElement;
    this.host.classList.toggle("dpviz-on-slide", !!element.closest(".reveal .slides"));
    this.page = {
      state: { ...TEMPLATES.states.epsilon },
      words: { ...TEMPLATES.words, alone: "" },
      controls: [],
      pictures: this.form.pictures.map((each) => TEMPLATES.pictures[each]!),
      markers: TEMPLATES.markers,
      layers: attackLayers(() => this.audit),
      texts: (shown) => ({
        ...auditTexts(this.audit, shown, MOST_RECORDS),
        ...(name === "epsilonStar" && !this.audit && { certified: NO_SCORES }),
      }),
    };
    // A key that acts here shall not turn a slide or a page of a notebook.
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || !(event.composedPath()[0] instanceof SVGElement)) event.stopPropagation();
    };
    this.host.addEventListener("keydown", press, { signal });
    // The first picture is that of the options: none is drawn before.
    const { errors } = this.take(options);
    this.build();
    this.say(errors);
  }

  private get form(): Form {
    return FORMS[this.name];
  }

  /** Write the elements: which sliders there are depends on the kind of claim. */
  private build(): void {
    this.built?.abort();
    this.built = new AbortController();
    const { pictures, numbers, title, hasAnswer } = this.form;
    const isGaussian = this.settings.mu !== undefined;
    const fields = numbers.map((name) => (name === "epsilon" && isGaussian ? fieldOf("mu") : name));
    this.page.controls = fields.map((field) => TEMPLATES.controls[field]!);
    const answer = hasAnswer
      ? `<div role="status"><p class="headline" data-sentence="answer"></p>` +
        `<p data-sentence="at_one_percent"></p><p data-sentence="certified"></p></div>`
      : "";
    // Every text that a reader or a file may bring is written as text, never here.
    this.root.innerHTML =
      `<style>${TEMPLATES.style}${STYLE}</style>` +
      `<section class="view" aria-label="${title}">${answer}` +
      `<div class="whole"><div class="page"><div class="beside"><section class="controls" aria-label="controls">` +
      this.page.controls.map((each) => TEMPLATES.controls[each.field]!.html).join("") +
      `</section><p><button type="button" id="saved-back">Reset the point</button></p>` +
      `<div id="dpviz-upload"></div>` +
      `<p class="error" role="alert" id="saved-error"></p></div>` +
      `<div class="grid board">` +
      pictures.map((each) => TEMPLATES.pictures[each]!.html).join("") +
      "</div></div></div></section>";
    const { signal } = this.built;
    this.byId("saved-back").parentElement!.hidden = this.name !== "region" && this.name !== "board";
    this.offerUpload(signal);
    this.update();
    const request = (changes: Changes): void => {
      this.set(Object.fromEntries(Object.entries(changes).map(([field, value]) => [nameOf(field), value])), true);
    };
    // Placing the labels takes as long as everything else, so the pictures are shown first.
    this.page.isBare = true;
    const { draw, label } = alive(this.root, this.page, { changes: () => ({}), request }, signal);
    this.draw = draw;
    this.label = () => {
      if (this.page.isBare && !signal.aborted) label();
      this.page.isBare = false;
    };
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(this.label)));
    addEventListener("beforeprint", this.label, { signal });
  }

  private byId(id: string): HTMLElement {
    return this.root.getElementById(id)!;
  }

  private offerUpload(signal: AbortSignal): void {
    if (WITHOUT_SCORES.includes(this.name)) return;
    const chosen = (files: FileList): void => void this.read(files[0]);
    this.upload = zone((name) => TEXTS[name] ?? "", ".csv,.tsv,.txt,text/csv", chosen, () => this.upload!.going());
    this.upload.invite();
    this.byId("dpviz-upload").append(this.upload.element);
    // A file that is dropped beside the zone would replace the page.
    const over = (event: DragEvent): void => event.preventDefault();
    this.host.addEventListener("dragover", over, { signal });
    this.host.addEventListener("drop", (event) => (over(event), chosen(event.dataTransfer!.files)), { signal });
  }

  private async read(given: unknown): Promise<void> {
    if (given === undefined) return;
    const turn = ++this.reading;
    if (given instanceof File) this.upload?.going(given);
    try {
      const audit = given === null ? undefined : new Audit(await readScores(given));
      if (turn !== this.reading || this.ended.signal.aborted) return;
      this.audit?.stop();
      this.audit = audit;
      this.say([]);
      this.settings.fnr = null;
      this.changed();
    } catch (error) {
      const why = error instanceof Unreadable ? error.message : `The scores cannot be read: ${String(error)}`;
      if (turn === this.reading) this.say([why]);
    } finally {
      if (turn === this.reading) this.upload?.going();
    }
  }

  /** Show sentences about what was rejected; none clears them. */
  say(sentences: string[]): void {
    this.byId("saved-error").textContent = sentences.join(" ");
  }

  /** Change settings; what is out of range or unknown is said in the element, and left as it was. */
  set(options: object, byHand = false): void {
    if (this.ended.signal.aborted) return;
    const { errors, isOther } = this.take(options, byHand);
    if (isOther) this.build();
    if (!byHand) this.say(errors);
    this.changed();
  }

  /** Take options over; return sentences on those that were rejected, and whether the kind of claim is another. */
  private take(options: object, byHand = false): { errors: string[]; isOther: boolean } {
    const given = Object.entries(options ?? {}).filter(([, value]) => value !== undefined);
    const errors = unknownNames(given.map(([name]) => name).filter((name) => !byHand || name !== "fnr"));
    const before = this.settings.mu === undefined;
    for (const [name, value] of given) {
      if (name === "scores") void this.read(value);
      else if (byHand && name === "fnr") this.settings.fnr = value as number | null;
      else if ((name === "mu" || name === "fpr") && value === null) this.settings[name] = undefined;
      else if ((NUMBERS as readonly string[]).includes(name)) {
        const number = checked(name as NumberName, value);
        if (typeof number === "string") errors.push(number);
        else this.settings[name as NumberName] = number;
      }
    }
    // The last of both that was named is the claim.
    const named = given.map(([name]) => name).filter((name) => name === "epsilon" || name === "mu").pop();
    if (named === "epsilon") this.settings.mu = undefined;
    return { errors, isOther: before !== (this.settings.mu === undefined) };
  }

  private changed(): void {
    this.update();
    this.draw();
    const values = this.get();
    this.listeners.forEach((listen) => listen(values));
  }

  /** Let the page's state follow the settings and the scores. */
  private update(): void {
    const { epsilon, delta, mu, prior, fnr } = this.settings;
    const template = TEMPLATES.states[mu === undefined ? "epsilon" : "mu"];
    const parameters: Record<string, number> = mu === undefined ? { epsilon, delta } : { mu };
    const claim = { ...template.claim!, parameters };
    const implied = mu === undefined ? epsilon : epsilonAt(claimOf(claim), delta);
    const { audit } = this;
    const fpr = this.settings.fpr ?? audit?.strongestFpr(delta) ?? 0.01;
    const now: State = {
      ...template,
      ...{ claim, delta, prior, fpr, fnr, epsilon: implied },
      measured: audit?.measured(fpr) ?? null,
      answer: audit?.known(implied, delta) ?? null,
      ruler: { delta, largest: audit ? max(audit.bound(delta)?.low ?? 0, audit.star(delta).value || 0) : 0 },
    };
    Object.assign(this.page.state, now);
    audit?.find(delta, () => this.changed());
    for (const [name, needs] of Object.entries(NEEDS)) {
      const figure = this.root.getElementById(`dpviz-${name}`)?.closest("figure");
      if (figure) figure.hidden = needs !== !!audit && (needs || this.name === "board");
    }
  }

  get(): Values {
    const { audit, settings } = this;
    const star = audit?.star(settings.delta).value;
    const low = audit?.bound(settings.delta)?.low;
    return {
      ...settings,
      fpr: this.page.state.fpr,
      ...(audit && { epsilonStar: star!, members: audit.ranking.members, nonmembers: audit.ranking.nonmembers }),
      ...(low !== undefined && { lowerBound: low }),
    };
  }

  on(event: string, listener: Listener): () => void {
    if (event === "change") this.listeners.add(listener);
    else this.say([`dpviz has no event “${event}”: the event is “change”.`]);
    return () => void this.listeners.delete(listener);
  }

  toSVG(): string {
    this.label();
    return stillOf(this.root, this.form.title);
  }

  destroy(): void {
    this.audit?.stop();
    this.built?.abort();
    this.ended.abort();
    this.listeners.clear();
  }
}
