/** The layers marked `closed_form` in dpviz/pictures/layers, by the names of their classes. */

import { polyline, type Polyline } from "../theory/claim";
import { regionOf, totalVariationRegion } from "../theory/closed_forms";
import { decades, oddsOf, ppvOf, rate, riskOf, tailOf } from "../theory/risk";
import { approximate } from "../theory/approximate";
import { bestGuesses, boundCurve } from "../theory/guessing";
import { exp, log10, max, min, round } from "../theory/exponentials";
import { OUTPUT_RATIO } from "./output_ratio";
import { PEOPLE } from "./people";
import { clamp } from "./scale";
import { isOutsideByEstimate, isTested } from "../text/answer";
import { pointText, type Words } from "../text/sentences";
import { epsilonOf, isClaimed, number, type Changes, type Shown } from "./state";
import { roundEnd } from "./ticks";
import { percent, percentAtMost, short, tidyRate, upper } from "../text/number_format";

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
  hollow?: boolean;
}

/** The upper or lower end of an axis, or its name, where a layer sets them. */
export interface AxisChange {
  low: number;
  high: number;
  label?: string;
  /** Names of bars of width 1, the first at `low`. */
  names?: string[] | undefined;
}

export interface Layer {
  /** Whether it is hidden where nothing is claimed. */
  ofClaim?: boolean;
  /** The axes that this layer sets. */
  axes?(shown: Shown): { x?: AxisChange; y?: AxisChange };
  /** Each mark by its role; marks that are left out stay as they are. */
  draw(shown: Shown, x: Axis, y: Axis, words: Words): Partial<Record<string, Drawing>>;
  /** Whether a press or a drag anywhere in the picture moves the handle. */
  sweeps?: boolean;
  /** The changes that a drag of the handle requests. */
  move?(x: number, y: number, axis: Axis): Changes;
  /** The changes that an arrow key requests; steps are -1, 0 or 1. */
  step?(shown: Shown, right: number, up: number): Changes | undefined;
}

const segment = (x1: number, y1: number, x2: number, y2: number): Polyline => polyline([[x1, y1], [x2, y2]]);
const point = (x: number, y: number): Polyline => polyline([[x, y]]);
/** A twentieth of a decade, or a hundredth. */
const logStep = (fpr: number, steps: number): number =>
  min(1, tidyRate(10 ** (log10(max(fpr, 1e-6)) + steps / 20)));
const linearStep = (value: number, steps: number): number =>
  tidyRate(clamp(round(100 * value + steps) / 100, { low: 0, high: 1 }), 4);

export const HIDDEN: Drawing = { line: null };

/** As `axis_end` in dpviz/analysis/topics/risk.py. */
function riskAxis({ f, fpr, prior, measured }: Shown): AxisChange {
  const odds = (number(measured?.ratio ?? 0) * prior) / (1 - prior);
  const attack = odds === Infinity ? 1 : odds / (1 + odds);
  const end = roundEnd(1.25 * max(prior, ppvOf(f, fpr, prior), ppvOf(f, 0.01, prior), attack));
  const label = "PPV and advantage";
  return end < 1
    ? { low: 0, high: end, label: `${label} (up to ${percent(end)})` }
    : { low: 0, high: 1.08, label };
}

/** Whether what was measured is at another delta: then the ruler waits for the kernel. */
const isRulerLate = ({ ruler, claimDelta }: Shown): boolean =>
  !!ruler.largest && ruler.delta !== claimDelta;

/** Whether the epsilon on the ruler waits, too: not that of a claim with a delta of its own. */
const isEpsilonLate = (s: Shown): boolean => isRulerLate(s) && !s.own;

/** As `claimed` of `Answer` in dpviz/analysis/topics/answer.py; null where nothing is claimed. */
const claimedOf = (s: Shown): number | null => (isClaimed(s) && isTested(s) ? epsilonOf(s) : null);

/** The largest chance without the output that a drag can choose. */
const LARGEST_CHANCE = 0.999;

/** Heights of the claim's label and of its tick on the ruler. */
const CLAIMED_ROW = 8;
const CLAIMED_END = 29;

/** As `largest_epsilon_on_ruler` in dpviz/analysis/topics/answer.py. */
function rulerEnd(claimed: number, largest: number): number {
  if (!largest) return claimed > 0 && claimed < Infinity ? roundEnd(1.25 * claimed) : 1;
  return 1.08 * (largest < claimed && claimed <= 4 * largest ? claimed : largest);
}

/** What becomes of the mark of each role: the drawings of `draw`, unless the layer is hidden. */
export function drawingsOf(
  layer: Layer,
  ...[shown, ...others]: Parameters<Layer["draw"]>
): (role: string) => Drawing | undefined {
  if (layer.ofClaim && !isClaimed(shown)) return () => HIDDEN;
  const drawings = layer.draw(shown, ...others);
  return (role) => drawings[role];
}

// Python knows the names of the roles.
export const LAYERS: Record<string, Layer> = {
  ...PEOPLE,
  ...OUTPUT_RATIO,

  ClaimRegion: { ofClaim: true, draw: (s) => ({ area: { line: regionOf(s.f, s.claim) } }) },

  GuessingPoint: {
    draw: ({ fpr }) => ({ point: { points: point(fpr, 1 - fpr) } }),
  },

  DeltaBand: {
    ofClaim: true,
    draw: ({ own }) => ({
      area: { line: own && own.delta > 0 ? totalVariationRegion(own.delta) : null },
    }),
  },

  ClaimedTick: {
    axes(s) {
      if (isRulerLate(s)) return {};
      const high = rulerEnd(claimedOf(s) ?? 0, s.ruler.largest);
      return { x: { low: 0, high, label: `ε at δ = ${short(s.claimDelta)}` } };
    },
    draw(s, { high }) {
      if (isEpsilonLate(s)) return {};
      const claimed = claimedOf(s);
      if (claimed === null) return { line: HIDDEN, label: HIDDEN };
      const at = min(claimed, high);
      const more = at < claimed && claimed < Infinity ? " →" : "";
      const label = { points: point(at, CLAIMED_ROW), text: `claimed ${short(upper(claimed)) + more}` };
      return { line: { line: segment(at, 0, at, CLAIMED_END) }, label };
    },
  },

  ClaimCurve: { ofClaim: true, draw: (s) => ({ curve: { line: s.f.vertices() } }) },

  ClaimRoc: {
    ofClaim: true,
    draw({ f }) {
      const { x, y } = f.vertices();
      return { curve: { line: { x, y: y.map((fnr) => 1 - fnr) } } };
    },
  },

  ClaimSlope: {
    ofClaim: true,
    draw({ own, claimDelta }) {
      if (!own) return { line: HIDDEN, "back": HIDDEN };
      const top = 1 - claimDelta;
      const low = top * exp(-own.epsilon);
      return { line: { line: segment(0, top, low, 0) }, "back": { line: segment(0, low, top, 0) } };
    },
  },

  ClaimOdds: { ofClaim: true, draw: (s, x, y) => ({ curve: { line: oddsOf(s.f, x, y) } }) },

  ClaimTail: { ofClaim: true, draw: (s) => ({ curve: { line: tailOf(s.f) } }) },

  GuessBounds: {
    ofClaim: true,
    draw({ claim, f, guess }, x) {
      const at = (y: number): Polyline => point(max(guess.kappa, x.low), y);
      return {
        loose: { line: boundCurve(approximate(guess.epsilon, guess.delta)) },
        bound: { line: boundCurve(f) },
        best: { points: bestGuesses(claim) },
        limit: { points: at(guess.bound), text: percentAtMost(guess.bound) },
        reached:
          guess.best === undefined
            ? HIDDEN
            : { points: at(guess.best), text: percent(guess.best) },
      };
    },
  },

  ChanceWithoutOutput: {
    draw({ guess: { kappa } }, x, y) {
      const at = clamp(kappa, x);
      return { line: { line: segment(at, y.low, at, y.high) }, handle: { place: [at, y.low] } };
    },
    move: (at) => ({ kappa: tidyRate(min(at, LARGEST_CHANCE)) }),
    step: ({ guess: { kappa } }, right) =>
      right ? { kappa: min(LARGEST_CHANCE, logStep(kappa, right)) } : undefined,
  },

  LeastCost: {
    ofClaim: true,
    draw({ best: { fpr, fnr, gamma } }) {
      const slope = clamp(gamma, { low: 1e-300, high: 1e300 });
      const [left, right] = [max(0, fpr - (1 - fnr) / slope), min(1, fpr + fnr / slope)];
      const height = (x: number): number => fnr + slope * (fpr - x);
      return {
        line: { line: segment(left, height(left), right, height(right)) },
        point: { points: point(fpr, fnr), text: `γ = ${short(gamma)}` },
      };
    },
  },

  RiskBounds: {
    axes: (s) => ({ y: riskAxis(s) }),
    draw(s, x) {
      const { ppv, advantage } = riskOf(s.f, s.prior, x);
      return {
        prior: { line: segment(x.low, s.prior, x.high, s.prior) },
        ppv: { line: isClaimed(s) ? ppv : null },
        advantage: { line: isClaimed(s) ? advantage : null },
      };
    },
  },

  ClaimedEpsilon: {
    ofClaim: true,
    draw(s, x, y) {
      if (isEpsilonLate(s)) return {};
      const epsilon = epsilonOf(s);
      if (epsilon > y.high) return { line: HIDDEN, label: HIDDEN };
      const label = { points: point(x.high, epsilon), text: `${isTested(s) ? "claimed" : "ε ="} ${short(upper(epsilon))}` };
      return { line: { line: segment(x.low, epsilon, x.high, epsilon) }, label };
    },
  },

  /** A drag and arrow keys select the FPR. */
  SelectedFpr: {
    sweeps: true,
    draw(s, x, y) {
      const at = clamp(x.scale === "log-odds" ? decades(s.fpr) : s.fpr, x);
      return { line: { line: segment(at, y.low, at, y.high) }, handle: { place: [at, y.low] } };
    },
    move: (at, _, x) => ({ fpr: tidyRate(x.scale === "log-odds" ? rate(at) : at) }),
    step: (s, right) => (right ? { fpr: logStep(s.fpr, right) } : undefined),
  },

  FlippedPoint: {
    draw({ point: at }) {
      return at ? { point: { points: point(1 - at.fpr, 1 - at.fnr) } } : {};
    },
  },

  RegionPoint: {
    draw(s, _, __, words) {
      const { point } = s;
      if (!point) return { handle: { text: words.waiting } };
      const hollow = point.source === "attack" && isOutsideByEstimate(s);
      const hasLimit = point.source === "attack" ? isTested(s) : isClaimed(s);
      const marker = point.admitted || hollow || !hasLimit ? "diamond" : "cross";
      const text = pointText(point, s, words);
      return { handle: { place: [point.fpr, point.fnr], text, marker, hollow } };
    },
    move: (fpr, fnr) => ({ fpr: tidyRate(fpr, 4), fnr: tidyRate(fnr, 4) }),
    step: ({ point }, right, up) =>
      point && { fpr: linearStep(point.fpr, right), fnr: linearStep(point.fnr, up) },
  },
};
