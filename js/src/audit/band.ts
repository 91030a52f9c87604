/** Limits of both error rates at all thresholds at once, as dpviz/audit/roc/bands.py. */

import { exactLimits } from "../theory/binomial";
import { polyline, type Polyline } from "../theory/claim";
import { ratesAt, thresholdsToDraw, type Ranking } from "./ranking";

/** 95 % for all limits of both rates together. */
export const CONFIDENCE = 0.95;
const THRESHOLDS = 200;

/** Ascending pairs of a number of records and its local level, at a quarter of 5 %. */
export type LocalLevels = readonly (readonly [records: number, level: number])[];

/** The level for the next larger number of records; beyond the table Bonferroni's. */
const levelOf = (records: number, levels: LocalLevels): number =>
  levels.find(([size]) => size >= records)?.[1] ?? (1 - CONFIDENCE) / 4 / records;

export interface Limits {
  fpr: [low: number, high: number];
  fnr: [low: number, high: number];
}

export function limitsAt(r: Ranking, i: number, levels: LocalLevels): Limits {
  const missed = r.members - r.truePositives[i]!;
  return {
    fpr: exactLimits(r.falsePositives[i]!, r.nonmembers, levelOf(r.nonmembers, levels)),
    fnr: exactLimits(missed, r.members, levelOf(r.members, levels)),
  };
}

/** The outline of the band: along its lower limits, then back along its upper ones. */
export function bandOf(r: Ranking, levels: LocalLevels): Polyline {
  const all = thresholdsToDraw(r, THRESHOLDS).map((i) => limitsAt(r, i, levels));
  // By increasing FPR the limits of the FNR fall: right of a lower limit the next one holds.
  const lower: [number, number][] = [];
  let from = 0;
  for (const { fpr: [to], fnr: [low] } of all) {
    if (to > from) lower.push([from, low], [to, low]);
    from = to;
  }
  lower.push([from, 0], [1, 0]);
  const isLast = (i: number): boolean => all[i]!.fpr[1] < (all[i + 1]?.fpr[1] ?? 1);
  const corners = all.filter((_, i) => isLast(i)).map(({ fpr, fnr }) => [fpr[1], fnr[1]] as const);
  const upper = [[0, 1] as const, ...corners, [1, 0] as const];
  return polyline([...lower, ...upper.reverse()]);
}

/** The rates at the thresholds of a drawn curve. */
export function attackCurve(r: Ranking): Polyline {
  return polyline(thresholdsToDraw(r, 2 * THRESHOLDS).map((i) => {
    const { fpr, fnr } = ratesAt(r, i);
    return [fpr, fnr];
  }));
}
