/** The layers that need the scores, and that of the profile, by the names of their classes. */

import { attackCurve } from "../audit/band";
import { CLIP, ratiosAt } from "../audit/epsilon_star";
import { oddsInside, ratesAt, thresholdsToDraw } from "../audit/ranking";
import { HIDDEN, type Axis, type Drawing, type Layer } from "../state/layers";
import { clamp } from "../state/scale";
import { epsilonOf, isClaimed, type Shown } from "../state/state";
import { APPROXIMATE, polyline } from "../theory/claim";
import { deltaAt, epsilonAt } from "../theory/closed_forms";
import { ceil, exp, log, max, min } from "../theory/exponentials";
import { short, shortAbove, upper } from "../text/number_format";
import type { Words } from "../text/sentences";
import type { Audit } from "./audit";

const RATIOS = ["TPR/FPR", "TNR/FNR", "FNR/TNR", "FPR/TPR"];
const NAMED = 2;
const LOWEST_RATIO = -2;
const LOWEST_DELTA = 1e-12;
const VERTICES = 160;

type Drawings = Partial<Record<string, Drawing>>;

export function attackLayers(audit: () => Audit | undefined): Record<string, Layer> {
  /** A layer whose marks are hidden without scores. */
  const ofScores = (roles: string[], draw: (given: Audit, s: Shown, x: Axis, y: Axis) => Drawings): Layer => ({
    draw(s, x, y) {
      const given = audit();
      const hidden = Object.fromEntries(roles.map((role) => [role, HIDDEN]));
      return given ? { ...hidden, ...draw(given, s, x, y) } : hidden;
    },
  });
  const ratios: Layer = {
    ...ofScores([...RATIOS.flatMap((_, i) => [`line ${i}`, `maximum ${i}`]), "star"], drawRatios),
    axes(s) {
      const given = audit();
      if (!given) return {};
      const tops = given.star(s.claimDelta).maxima.map(({ ratio }) => ratio);
      const curve = thresholdsToDraw(given.ranking, VERTICES).flatMap((i) => ratiosAt(given.ranking, i, s.claimDelta));
      return { y: { low: LOWEST_RATIO, high: ceil(max(3, ...[...tops, ...curve].filter(Number.isFinite))) + 0.25 } };
    },
  };
  return {
    FnrBand: ofScores(["area"], ({ band }) => ({ area: { line: band } })),
    AttackCurveLayer: ofScores(["curve"], ({ ranking }) => ({ curve: { line: attackCurve(ranking) } })),
    AttackPoint: ofScores(["point"], (_, { measured }) =>
      measured ? { point: { points: at(measured.fpr, measured.fnr) } } : {}),
    ConfidenceBox: ofScores(["box"], (given, { point }) => {
      if (point?.source !== "attack") return {};
      const { fpr: [left, right], fnr: [low, high] } = given.limits(point.fpr);
      return { box: { line: polyline([[left, low], [right, low], [right, high], [left, high], [left, low]]) } };
    }),
    AttackRisk: ofScores(["ppv", "advantage", "at_zero"], drawRisk),
    RatioCurvesLayer: ratios,
    CertifiedEpsilon: ofScores(["line", "label"], (given, s, x, y) => {
      const low = given.bound(s.claimDelta)?.low;
      if (!low || low > y.high) return {};
      const text = `certified ≥ ${shortAbove(low, isClaimed(s) ? epsilonOf(s) : 0)}`;
      return { line: { line: polyline([[x.low, low], [x.high, low]]) }, label: { points: at(x.low, low), text } };
    }),
    ClaimProfile: PROFILE,
    EpsilonAtDelta: {
      draw(s, x, y) {
        const epsilon = epsilonOf(s);
        if (!isClaimed(s) || epsilon === Infinity) return { lines: HIDDEN, point: HIDDEN };
        const [across, up] = [clamp(epsilon, x), clamp(s.claimDelta, y)];
        return {
          lines: { line: polyline([[x.low, up], [across, up], [across, y.low]]) },
          point: { points: at(across, up), text: `ε = ${short(upper(epsilon))}` },
        };
      },
    },
  };
}

const at = (x: number, y: number) => polyline([[x, y]]);

function drawRatios(given: Audit, s: Shown, x: Axis, y: Axis): Drawings {
  const { ranking } = given;
  const { maxima } = given.star(s.claimDelta);
  const kept = thresholdsToDraw(ranking, 2 * VERTICES, maxima.map((each) => max(each.at, 0)));
  const drawn: Drawings = {};
  const values = maxima.map(({ ratio }) => ratio);
  const largest = values.indexOf(max(...values));
  const named = [...values.keys()].sort((i, j) => values[j]! - values[i]!).slice(0, NAMED);
  RATIOS.forEach((name, k) => {
    const curve = kept.flatMap((i) => {
      const ratio = ratiosAt(ranking, i, s.claimDelta)[k]!;
      return Number.isFinite(ratio) ? [[oddsInside(ratesAt(ranking, i).fpr, x.high), ratio] as const] : [];
    });
    drawn[`line ${k}`] = { line: curve.length ? polyline(curve) : null };
    const best = maxima[k];
    if (!best || !(best.ratio > y.low)) return;
    // An infinite maximum is drawn below the top.
    const height = best.ratio === Infinity ? y.high - 0.08 * (k + 1) * (y.high - y.low) : best.ratio;
    const points = at(oddsInside(best.fpr, x.high), height);
    if (k === largest) drawn.star = { points, text: `Epsilon* ${short(best.ratio)} (${name})` };
    else drawn[`maximum ${k}`] = { points, text: named.includes(k) ? name : "" };
  });
  return drawn;
}

function drawRisk({ ranking }: Audit, { prior }: Shown, x: Axis): Drawings {
  const rates = thresholdsToDraw(ranking, 2 * VERTICES).map((i) => ratesAt(ranking, i));
  const odds = ({ fpr }: { fpr: number }): number => oddsInside(fpr, x.high);
  const ppv = ({ fpr, fnr }: { fpr: number; fnr: number }): number =>
    (prior * (1 - fnr)) / (prior * (1 - fnr) + (1 - prior) * fpr);
  const inside = rates.filter(({ fpr, fnr }) => fpr > 0 || fnr === 0);
  const atZero = rates.filter(({ fpr, fnr }) => fpr === 0 && fnr < 1).length;
  return {
    ppv: { line: polyline(inside.map((each) => [odds(each), ppv(each)] as const)) },
    advantage: { line: polyline(inside.map((each) => [odds(each), 1 - each.fnr - each.fpr] as const)) },
    at_zero: atZero ? { points: at(x.low, 1), text: "attack at FPR 0" } : HIDDEN,
  };
}

/** The least delta at each epsilon, at deltas evenly spaced in log. */
const PROFILE: Layer = {
  axes: ({ claim }) => {
    const end = epsilonAt(claim, LOWEST_DELTA);
    const last = end < Infinity ? end : claim.kind === APPROXIMATE ? claim.epsilon : 1;
    return { x: { low: 0, high: max(1, min(1.25 * last, 1e308)) } };
  },
  ofClaim: true,
  draw({ claim }, { high }) {
    const [top, bottom] = [deltaAt(claim, 0), max(deltaAt(claim, high), LOWEST_DELTA)];
    if (!(top > bottom)) return { line: { line: polyline([[0, bottom], [high, bottom]]) } };
    const step = (log(bottom) - log(top)) / (VERTICES - 1);
    const deltas = Array.from({ length: VERTICES }, (_, i) => exp(log(top) + i * step));
    const corners = deltas.map((delta) => [min(epsilonAt(claim, delta), high), delta] as const);
    return { line: { line: polyline([...corners, [high, bottom]]) } };
  },
};

/** The sentences that Python alone writes elsewhere. */
export function auditTexts(given: Audit | undefined, s: Shown, most: number): Words {
  const delta = short(s.claimDelta);
  const epsilon = epsilonOf(s);
  const profile = epsilon === Infinity
    ? `This guarantee gives no finite ε at δ = ${delta}.`
    : `This guarantee gives ε = ${short(upper(epsilon))} at δ = ${delta}.`;
  if (!given) return { profile, certified: "", epsilon_star_title: "", epsilon_star_lead: "" };
  const { value } = given.star(s.claimDelta);
  const { members, nonmembers, kind } = given.ranking;
  const bound = given.bound(s.claimDelta);
  const sign = kind === "loss" ? "low loss" : "high score";
  const records =
    `${members} members and ${nonmembers} non-members. ` +
    `Assumed: ${sign} means member, and both are independent samples.`;
  const how = `at δ = ${delta}, 95 % confidence (one-cut rank test).`;
  const found = bound?.low
    ? `Certified: ε ≥ ${shortAbove(bound.low, isClaimed(s) ? epsilon : 0)} ${how}`
    : bound ? `No ε above 0 is certified ${how}`
    : given.records > most ? `Of more than ${most} records a bound needs Python.`
    : "The lower bound is being computed.";
  const isEmpty = Number.isNaN(value);
  return {
    profile,
    certified: `${found} ${records}`,
    epsilon_star_title: isEmpty ? "Epsilon* is undefined: the clip leaves no threshold" : `Epsilon* ${short(value)}`,
    epsilon_star_lead: isEmpty
      ? `Epsilon* is undefined: no threshold has both FPR and FNR inside (${CLIP}, ${1 - CLIP}).`
      : `Epsilon* ≈ ${short(value)} at δ = ${delta}: an estimate (largest log ratio), not a bound.`,
  };
}
