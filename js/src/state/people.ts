/** The layers of dpviz/analysis/topics/people.py. */

import { polyline, type Polyline } from "../theory/claim";
import { floor } from "../theory/exponentials";
import { fill } from "../text/fill";
import { named } from "../text/unclaimed";
import { HIDDEN, type Drawing, type Layer } from "./layers";
import { isClaimed } from "./state";

const ROW = 10;
const ACROSS = 11;
const SIDE = 100;
const DOT_ROWS = { called: -1.6, required: -7.6 };
const KEY_ROWS = [-20, -49, -79, -108];

export const PEOPLE: Record<string, Layer> = {
  PeopleDots: {
    draw(s, _, __, words) {
      const { isMeasured, hundreds } = s.people;
      const { members, detected, flagged, required } = hundreds;
      const whose = isMeasured ? "called" : "allowed";
      const called = [...dots(0, detected, 0), ...dots(0, flagged, ACROSS)];
      const missed = dots(members - required, members, 0);
      return {
        called: HIDDEN,
        allowed: HIDDEN,
        ...(isMeasured || isClaimed(s)
          ? { [whose]: withKey(DOT_ROWS.called, called, words[`people.${whose}`]) }
          : {}),
        required: isClaimed(s)
          ? withKey(DOT_ROWS.required, missed, named(fill(words["people.required"], { required }), s))
          : HIDDEN,
      };
    },
  },

  PopulationCells: {
    draw(s, _, __, words) {
      const { isMeasured, population } = s.people;
      const isKnown = isMeasured || isClaimed(s);
      const drawn: Record<string, Drawing> = {};
      let first = 0;
      for (const [i, role] of (["missed", "detected", "flagged", "cleared"] as const).entries()) {
        const last = first + population[role];
        const text = fill(words[`people.${role}`], { [role]: population[role] });
        const here = { line: isKnown ? cells(first, last) : null };
        const key = isKnown ? withKey(KEY_ROWS[i]!, [], text) : HIDDEN;
        if (role === "missed" || role === "cleared") {
          Object.assign(drawn, { [role]: here, [`${role} key`]: key });
        } else {
          for (const whose of ["called", "allowed"]) {
            const isShown = isMeasured === (whose === "called");
            drawn[`${whose} ${role}`] = isShown ? here : HIDDEN;
            drawn[`${whose} ${role} key`] = isShown ? key : HIDDEN;
          }
        }
        first = last;
      }
      return drawn;
    },
  },
};

type Places = (readonly [number, number])[];

/** Dots `first` to `last` - 1, ten in a row. */
function dots(first: number, last: number, left: number): Places {
  return Array.from({ length: last - first }, (_, i) => {
    return [left + ((first + i) % ROW), ROW - floor((first + i) / ROW)];
  });
}

/** The outline of cells `first` to `last` - 1, 100 in a row. */
function cells(first: number, last: number): Polyline | null {
  if (first === last) return null;
  const [top, start] = [floor(first / SIDE), first % SIDE];
  const [bottom, end] = [floor((last - 1) / SIDE), ((last - 1) % SIDE) + 1];
  const rows = [top, top, bottom, bottom, bottom + 1, bottom + 1, top + 1, top + 1];
  return {
    x: Float64Array.of(start, SIDE, SIDE, end, end, 0, 0, start),
    y: Float64Array.from(rows, (row) => SIDE - row),
  };
}

/** Markers, and first one more in the legend, with its text. */
function withKey(row: number, places: Places, text: string | undefined): Drawing {
  const all: Places = [[0, row], ...places];
  return { points: polyline(all), text };
}
