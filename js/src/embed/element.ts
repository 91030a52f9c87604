/** The custom elements, such as `<dpviz-board epsilon="1">`. */

import { OPTIONS } from "./settings";
import { TEMPLATES } from "./templates";
import { FORMS, View, type Name, type Options, type Values } from "./view";

/** What a second version of this module finds of the first one. */
interface Defined {
  version?: string;
  other?: (version: string) => void;
}

/** Attributes that every element may have. */
const GLOBAL = /^(class|id|style|title|lang|dir|hidden|slot|part|role|tabindex|translate|is|data-.*|aria-.*|on.*)$/;

export function define(): void {
  for (const name of Object.keys(FORMS) as Name[]) {
    const tag = `dpviz-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    const known = customElements.get(tag) as Defined | undefined;
    if (!known) customElements.define(tag, elementOf(name));
    else if (known.version !== TEMPLATES.version) known.other?.(TEMPLATES.version);
  }
}

function elementOf(name: Name): CustomElementConstructor {
  const all = new Set<Element>();
  let others = "";
  return class extends HTMLElement {
    static readonly observedAttributes: readonly string[] = OPTIONS;
    static readonly version = TEMPLATES.version;
    private view: View | undefined;
    private given: unknown;

    static other(version: string): void {
      others = `This page loads two versions of dpviz, ${TEMPLATES.version} and ${version}: the first one draws this.`;
      all.forEach((each) => each.append(note()));
    }

    connectedCallback(): void {
      if (this.view) return;
      this.style.display ||= "block";
      const unknown = this.getAttributeNames().filter((each) => !GLOBAL.test(each));
      // What stood here until now was for places that run no script.
      this.replaceChildren();
      const options: Options = Object.fromEntries(unknown.map((each) => [each, this.getAttribute(each)]));
      if (this.given !== undefined) options.scores = this.given;
      this.view = new View(this, name, options);
      this.view.on("change", (detail) => this.dispatchEvent(new CustomEvent("change", { detail })));
      all.add(this);
      if (others) this.append(note());
    }

    disconnectedCallback(): void {
      // An element that is merely moved is connected again at once.
      queueMicrotask(() => {
        if (this.isConnected) return;
        this.view?.destroy();
        this.view = undefined;
        this.querySelectorAll(".dpviz-versions").forEach((each) => each.remove());
        all.delete(this);
      });
    }

    attributeChangedCallback(attribute: string, _: string | null, value: string | null): void {
      if (value !== null) this.view?.set({ [attribute]: value });
    }

    set scores(given: unknown) {
      this.given = given;
      this.view?.set({ scores: given });
    }

    get scores(): unknown {
      return this.given;
    }

    set(options: Options): void {
      this.view?.set(options);
    }

    get(): Values | undefined {
      return this.view?.get();
    }

    toSVG(): string {
      return this.view?.toSVG() ?? "";
    }
  };

  function note(): HTMLElement {
    return Object.assign(document.createElement("p"), { className: "dpviz-versions", textContent: others });
  }
}
