/**
 * The live pictures in any page, from one file, without Python and without a network.
 *
 * `import { board } from "./dpviz.mjs"`; docs/reference/embed.md documents it, dpviz.d.ts has its types.
 */

import { define } from "./element";
import { TEMPLATES } from "./templates";
import { FORMS, View, type Name, type Options, type Values } from "./view";
import { render } from "./widget";

export interface Shown {
  set(options: object): void;
  get(): Values;
  on(event: "change", listener: (values: Values) => void): () => void;
  toSVG(): string;
  destroy(): void;
}

const shows =
  (name: Name) =>
  (element: HTMLElement, options: object = {}): Shown =>
    new View(element, name, options as Options);

export const board = shows("board");
export const region = shows("region");
export const tradeoff = shows("tradeoff");
export const epsilonStar = shows("epsilonStar");
export const risk = shows("risk");
export const profile = shows("profile");
export const mechanism = shows("mechanism");
export const people = shows("people");

export const version = TEMPLATES.version;
export const views = Object.keys(FORMS);

if (typeof customElements !== "undefined") define();

export default { render };
