import type { Label, Point } from "../src/state/labels";
/** What Python's widgets say: the browser's half has to say the same, to the letter. */

import { readFileSync } from "node:fs";

import type { ControlSpec } from "../src/live/controls";
import type { Words } from "../src/text/sentences";
import type { Changes, State } from "../src/state/state";

export interface Said {
  label: string;
  marker: string;
  look: string;
  conversion: string;
  region: string;
  implied: string;
  tradeoff: string;
  risk: string;
}

interface Moves {
  control: ControlSpec;
  steps: [number | "inf", number][];
  typed: [string, string | { value: number | "inf" | "#-0" }][];
}

interface Ratio {
  state: Pick<State, "claim" | "delta" | "epsilon">;
  x: [number, number, string, string[]];
  high: number;
  band: number;
  at: [number, number][];
}

interface Vectors {
  words: Words;
  told: { state: State; want: Said }[];
  stated: { state: State; want: Said }[];
  audited: { state: State; cases: { changes: Changes; want: Record<string, string> }[] }[];
  moved: { state: State; changes: Changes; want: Said }[];
  controls: Moves[];
  ticks: { scale: string; low: number; high: number; rate: boolean; ticks: [string, string][] }[];
  ratios: Ratio[];
  labels: {
    labels: Label[];
    others: Point[][];
    frame: [number, number, number];
    places: ({ box: number[]; lines: string[]; leader: number[] | null } | null)[];
  }[];
}

// Seen from the bundled tests in js/test/.bundle.
const FILE = new URL("../../../tests/parity/live.json", import.meta.url);

export const LIVE: Vectors = JSON.parse(readFileSync(FILE, "utf8"));
