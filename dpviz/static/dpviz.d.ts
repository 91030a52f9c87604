/** Types of dpviz.mjs: the live pictures of dpviz in any page. docs/reference/embed.md explains them. */

/** Losses (low means member) or, with the kind "score", scores (high means member). */
export interface Sample {
  members: ArrayLike<number>;
  nonmembers: ArrayLike<number>;
  kind?: "loss" | "score";
}

/** Numbers may be texts, as people type them: "5 %", "1e-5", "inf". */
export interface Options {
  epsilon?: number | string;
  delta?: number | string;
  /** A Gaussian claim in place of epsilon. */
  mu?: number | string | null;
  prior?: number | string;
  /** null: where the attack's evidence is the strongest, or 1 % without scores. */
  fpr?: number | string | null;
  /** Arrays, the text of a CSV, or a file of one; null takes the scores away. */
  scores?: Sample | string | Blob | null;
}

export interface Values {
  epsilon: number;
  delta: number;
  mu: number | undefined;
  prior: number;
  fpr: number;
  /** Of a point that the reader moved in the region, else null. */
  fnr: number | null;
  members?: number;
  nonmembers?: number;
  /** An estimate; NaN where the clip leaves no threshold. */
  epsilonStar?: number;
  /** The certified lower bound of epsilon at delta, 95 % confidence; missing until it is computed. */
  lowerBound?: number;
}

export interface View {
  /** What is unknown or out of range is said in the element, and left as it was. */
  set(options: Options): void;
  get(): Values;
  /** Call back after every change, by a hand, by `set` or by a result; returns what stops it. */
  on(event: "change", listener: (values: Values) => void): () => void;
  /** The pictures as one SVG that stands alone. */
  toSVG(): string;
  destroy(): void;
}

type Show = (element: HTMLElement, options?: Options) => View;

export declare const board: Show;
export declare const region: Show;
export declare const tradeoff: Show;
export declare const epsilonStar: Show;
export declare const risk: Show;
export declare const profile: Show;
export declare const mechanism: Show;
export declare const people: Show;

export declare const version: string;
/** The names that the state of an anywidget may have under "view". */
export declare const views: string[];

/** The form of anywidget: a model's state has "view" and the options. */
declare const widget: {
  render(given: {
    model: {
      get(name: string): any;
      set(name: string, value: any): void;
      on(event: string, callback: () => void): void;
      off(event: string, callback: () => void): void;
      save_changes(): void;
    };
    el: HTMLElement;
  }): () => void;
};
export default widget;
