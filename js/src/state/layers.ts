/** The layers marked `closed_form` in dpviz/pictures/layers, by the names of their classes. */

import { regionOf, totalVariationRegion, type Polyline } from "../theory/closed_forms";
import { riskOf, tailOf } from "../theory/risk";
import { exp, log10, max, min, round } from "../theory/exponentials";
import { PEOPLE } from "./people";
import { clamp, decades, rate } from "./scale";
import { pointText, type Words } from "../text/sentences";
import type { Changes, Shown } from "./state";
import { tidyRate } from "../text/number_format";

/** The range and the scale of an axis. */
export interface Axis {
  scale: string;
  /** Whether ticks are in percent. */
  isRate: boolean;
  low: number;
  high: number;
}

/** What becomes of a mark: a line, markers, or a handle at a place, if it is to move. */
export interface Drawing {
  line?: Polyline | null;
  /** Places of fixed markers; the text stands beside the first. */
  points?: Polyline | null;
  place?: readonly [number, number];
  text?: string | undefined;
  marker?: string;
}

export interface Layer {
  /** The range of the x axis, if this layer sets it. */
  range?(shown: Shown): readonly [number, number];
  /** Each mark by its role. */
  draw(shown: Shown, x: Axis, y: Axis, words: Words): Record<string, Drawing>;
  /** The changes that a drag of the handle requests. */
  move?(x: number, y: number, axis: Axis): Changes;
  /** The changes that an arrow key requests; steps are -1, 0 or 1. */
  step?(shown: Shown, right: number, up: number): Changes | undefined;
}

const segment = (x1: number, y1: number, x2: number, y2: number): Polyline => ({
  x: Float64Array.of(x1, x2),
  y: Float64Array.of(y1, y2),
});
/** A twentieth of a decade, or a hundredth. */
const logStep = (fpr: number, steps: number): number =>
  min(1, tidyRate(10 ** (log10(max(fpr, 1e-6)) + steps / 20)));
const linearStep = (value: number, steps: number): number =>
  tidyRate(clamp(round(100 * value + steps) / 100, { low: 0, high: 1 }), 4);

// Roles are quoted where build.mjs would shorten them: Python knows the names.
export const LAYERS: Record<string, Layer> = {
  ...PEOPLE,

  ClaimRegion: { draw: (s) => ({ area: { line: regionOf(s.f, s.claim) } }) },

  GuessingPoint: {
    draw: ({ fpr }) => ({
      point: { points: { x: Float64Array.of(fpr), y: Float64Array.of(1 - fpr) } },
    }),
  },

  DeltaBand: {
    draw: ({ own }) => ({
      area: { line: own && own.delta > 0 ? totalVariationRegion(own.delta) : null },
    }),
  },

  ClaimCurve: { draw: (s) => ({ curve: { line: s.f.vertices() } }) },

  ClaimSlope: {
    draw({ own, claimDelta }) {
      const top = 1 - claimDelta;
      return { line: { line: own ? segment(0, top, top * exp(-own.epsilon), 0) : null } };
    },
  },

  ClaimTail: { draw: (s) => ({ curve: { line: tailOf(s.f) } }) },

  RiskBounds: {
    range: (s) => [riskOf(s.f, s.prior).lowestFpr, 1],
    draw(s) {
      const { lowestFpr, ppv, advantage } = riskOf(s.f, s.prior);
      return {
        prior: { line: segment(lowestFpr, s.prior, 1, s.prior) },
        ppv: { line: ppv },
        advantage: { line: advantage },
      };
    },
  },

  SelectedFpr: {
    draw(s, x, y) {
      const at = clamp(x.scale === "log-odds" ? decades(s.fpr) : s.fpr, x);
      return { line: { line: segment(at, y.low, at, y.high) }, handle: { place: [at, y.low] } };
    },
    move: (at, _, x) => ({ fpr: tidyRate(x.scale === "log-odds" ? rate(at) : at) }),
    step: (s, right) => (right ? { fpr: logStep(s.fpr, right) } : undefined),
  },

  RegionPoint: {
    draw({ point }, _, __, words) {
      if (!point) return { handle: { text: words.waiting } };
      const marker = point.admitted ? "diamond" : "cross";
      return { handle: { place: [point.fpr, point.fnr], text: pointText(point, words), marker } };
    },
    move: (fpr, fnr) => ({ fpr: tidyRate(fpr, 4), fnr: tidyRate(fnr, 4) }),
    step: ({ point }, right, up) =>
      point && { fpr: linearStep(point.fpr, right), fnr: linearStep(point.fnr, up) },
  },
};
