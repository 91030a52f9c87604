/** Whole people, as dpviz/analysis/topics/people.py counts them. */

import type { Tradeoff } from "./claim";
import { ceil, floor, max, min } from "./exponentials";

const PER_CLASS = 100;
const POPULATION = 10_000;
const SLACK = 1e-12;

/** Members and non-members, and how many of them an attack calls "member". */
export interface Crowd {
  members: number;
  nonmembers: number;
  detected: number;
  flagged: number;
  missed: number;
  cleared: number;
  /** Members that the claim requires an attack with this FPR to miss. */
  required: number;
}

export interface People {
  fpr: number;
  tpr: number;
  isMeasured: boolean;
  hundreds: Crowd;
  population: Crowd;
}

/** The measured attack, or the best one at an FPR that the claim allows. */
export function peopleOf(
  f: Tradeoff,
  prior: number,
  { fpr, fnr }: { fpr: number; fnr?: number | undefined },
): People {
  const isMeasured = fnr !== undefined;
  const allowed = f.tpr(fpr);
  const tpr = isMeasured ? 1 - fnr : allowed;
  const crowd = (members: number, nonmembers: number): Crowd => {
    let [detected, flagged] = [down(tpr * members), up(fpr * nonmembers)];
    if (isMeasured) [detected, flagged] = [nearest(tpr, members), nearest(fpr, nonmembers)];
    else if (tpr * members + fpr * nonmembers < 1) detected = flagged = 0;
    return {
      ...{ members, nonmembers, detected, flagged },
      missed: members - detected,
      cleared: nonmembers - flagged,
      required: members - up(allowed * members),
    };
  };
  const members = down(prior * POPULATION);
  return {
    ...{ fpr, tpr, isMeasured },
    hundreds: crowd(PER_CLASS, PER_CLASS),
    population: crowd(members, POPULATION - members),
  };
}

/** The nearest number of 100 people: "6", "about 6", or "fewer than 1" where that would be 0. */
export function about(rate: number): string {
  const people = rate * PER_CLASS;
  const shown = nearest(rate, PER_CLASS);
  if (down(people) >= up(people)) return `${shown}`;
  const off = floor(people + 0.5) - shown;
  return `${off ? `${off < 0 ? "fewer" : "more"} than` : "about"} ${shown}`;
}

const down = (people: number): number => floor(people * (1 + SLACK));
const up = (people: number): number => ceil(people * (1 - SLACK));

/** 0 and n only for rates of exactly 0 and 1. */
function nearest(rate: number, n: number): number {
  if (rate === 0 || rate === 1) return rate * n;
  return min(max(floor(rate * n + 0.5), min(1, n)), max(n - 1, 0));
}
