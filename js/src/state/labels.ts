/** Places for the labels of marks, as dpviz/drawing/labels.py finds them; all in pixels. */

import { abs, floor, hypot, max, min, round, sqrt } from "../theory/exponentials";

export type Point = readonly [number, number];
/** A point that labels should not cover nor come near to: x, y, how near, how bad that is. */
type Obstacle = readonly [number, number, number, number];
/** Left, top, right, bottom. */
export type Box = readonly [number, number, number, number];
export type Kind = "line" | "area" | "points";

export interface Label {
  text: string;
  path: Point[];
  kind: Kind;
  /** Pixels between the mark and its label, if not the usual. */
  gap?: number;
  /** Where it stood before: it stays near there unless another place is much better. */
  last?: Box | undefined;
  /** Whether its mark has not moved since: it stays in that very place. */
  isStill?: boolean;
}

/** A line's ends, and its length. */
type Line = readonly [Box, number];

export interface Place {
  box: Box;
  lines: string[];
  /** The ends of the line that leads to the mark. */
  leader: Box | undefined;
  /** Letters may be narrower than the box: to the left of its mark a text ends where the box does. */
  atEnd: boolean;
}

/** Places within `STAYING` pixels of the last one have a cost lower by `STAY`. */
const STAYING = 24;
const STAY = 48;
const LINE = 1.16;
const FARTHEST = 3000;
const [GAP, CLEAR, MARGIN, STEP, GRID, OUTSIDE, FAR, MOST, NEAR, WIDEST] = [6, 4, 3, 10, 9, 8, 20, 12, 12, 0.5];
const BAND = 16;
const CROWDED = 60;
/** Of a place whose leader line crosses another label, or that another's crosses. */
const THROUGH = 30;
const CROSSED = 9;
const BESIDE = 3;
/** Pixels between the y axis and a label that begins there. */
const ASIDE = 4;
const MARKER = 12;
const SHARES = [0.5, 0.35, 0.65, 0.2, 0.8, 0.08, 0.92];
const WIDTHS: [RegExp, number][] = [
  [/[ijlfrtI.,:;'|!()[\] -]/, 0.42],
  [/[mwMWOQG%@=<>≤≥+−→∞…—]/, 1],
  [/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\uffe6]/, 1.05],
  [/[A-Z&]/, 0.78],
];

export const textWidth = (text: string, size: number): number =>
  size * Array.from(text, letterWidth).reduce((sum, each) => sum + each, 0);

/** Widths of letters that were measured before. */
const KNOWN: Record<string, number> = {};

const letterWidth = (letter: string): number =>
  (KNOWN[letter] ??= WIDTHS.find(([letters]) => letters.test(letter))?.[1] ?? 0.65);

export const lineHeight = (size: number): number => LINE * size;

/** Earlier labels have the first choice; undefined where there is no room. */
export function place(
  labels: Label[],
  others: Point[][],
  width: number,
  height: number,
  size: number,
): (Place | undefined)[] {
  const own = labels.map(({ path, kind }) => samples(path, kind));
  const isInside = ([x, y]: Point): boolean => max(-x, x - width, -y, y - height) <= 0.5;
  const inside = [...own, ...others.map((path) => samples(path))].map((all) => all.filter(isInside));
  const bands: Record<number, Obstacle[]> = {};
  let widest = 0;
  for (const [i, points] of inside.entries()) {
    const { kind, gap = GAP }: Partial<Label> = labels[i] ?? {};
    const [margin, weight] = kind === "points" ? [MARGIN + gap - CLEAR, MARKER] : [MARGIN, 1];
    widest = max(widest, margin);
    for (const [x, y] of points) (bands[bandOf(y)] ??= []).push([x, y, margin, weight]);
  }
  const taken = labels.flatMap(({ last, isStill }) => (last && isStill ? [last] : []));
  const leaders: Box[] = [];
  return labels.map(({ text, kind, gap = GAP, last, isStill }, i) => {
    const lines = broken(text, width, size);
    const [wide, high] = [max(...lines.map((line) => textWidth(line, size))), LINE * size * lines.length];
    const kept = isStill ? last : undefined;
    let best = kept;
    let least = Infinity;
    const leaderTo = (box: Box): Line => leader(kind, box, own[i]!, inside[i]!, taken);
    const boxes = candidates(kind, gap, own[i]!, inside[i]!, wide, high, width, height);
    for (const [[left, top], cost] of kept ? [] : boxes) {
      if (cost >= FAR && least <= FAR - (last ? STAY : 0)) break; // the rest is away from the mark
      const box: Box = [left, top, left + wide, top + high];
      if (min(left, top, width - box[2], height - box[3]) < 1) continue;
      const stays = last && apart(box, last) < STAYING ? STAY : 0;
      if (cost - stays > least || taken.some((other) => meet(box, other))) continue;
      const crowded = taken.some((other) => meet(box, other, GAP)) ? CROWDED : 0;
      let total = round(1e6 * (cost - stays + crowded + 3 * covered(box, bands, widest))) / 1e6;
      if (total >= least) continue;
      if (leaders.some((each) => cross(each, box)) || leaderTo(box)[1] > FARTHEST) total += THROUGH;
      if (total < least) [best, least] = [box, total];
    }
    if (!best) return undefined;
    const [to, long] = leaderTo(best);
    if (!kept) taken.push(best);
    if (long) leaders.push(to);
    return { box: best, lines, leader: long ? to : undefined, atEnd: to[0] >= best[2] };
  });
}

/** Of the bands of `BAND` pixels across the picture, the one of a height. */
const bandOf = (y: number): number => floor(y / BAND);

/** From the centre of a box to that of another. */
const apart = (a: Box, b: Box): number =>
  hypot(a[0] + a[2] - b[0] - b[2], a[1] + a[3] - b[1] - b[3]) / 2;

const meet = (a: Box, b: Box, across = 0): boolean =>
  a[0] < b[2] + across && b[0] < a[2] + across && a[1] < b[3] && b[1] < a[3];

function covered([left, top, right, bottom]: Box, bands: Record<number, Obstacle[]>, widest: number): number {
  let [onLines, through, onMarkers] = [0, 0, 0];
  // The obstacles of bands farther away are not looked at.
  for (let i = bandOf(top - widest); i <= bandOf(bottom + widest); i++) {
    for (const [x, y, margin, weight] of bands[i] ?? []) {
      const off = max(left - x, x - right, top - y, y - bottom);
      if (off >= margin) continue;
      if (weight > 1) onMarkers += weight;
      else {
        onLines += 1;
        through += +(off < 0);
      }
    }
  }
  return onMarkers + min(onLines, MOST) + min(through, MOST) + (through && CROSSED);
}

/** In two lines if it is long, broken at the space nearest to the middle. */
function broken(text: string, width: number, size: number): string[] {
  const letters = [...text];
  if (textWidth(text, size) <= WIDEST * width || !text.includes(" ")) return [text];
  const off = (i: number): number => abs(2 * i + 1 - letters.length);
  const spaces = letters.flatMap((letter, i) => (letter === " " ? [i] : []));
  const at = spaces.sort((a, b) => off(a) - off(b))[0]!;
  return [letters.slice(0, at).join(""), letters.slice(at + 1).join("")];
}

function samples(path: Point[], kind: Kind = "line"): Point[] {
  const near = (value: number): number => min(max(value, -FARTHEST), FARTHEST);
  const inside = path.map(([x, y]): Point => [near(x), near(y)]);
  const corners = kind === "area" && path.length ? [...inside, inside[0]!] : inside;
  if (kind === "points" || corners.length < 2) return corners;
  const found: Point[] = [];
  let [passed, next] = [0, 0];
  for (let i = 1; i < corners.length; i++) {
    const [[x1, y1], [x2, y2]] = [corners[i - 1]!, corners[i]!];
    const long = hypot(x2 - x1, y2 - y1);
    for (; next <= passed + long + 1e-9 && (long || !found.length); next += STEP) {
      const share = long ? min(1, max(0, (next - passed) / long)) : 0;
      found.push([x1 + share * (x2 - x1), y1 + share * (y2 - y1)]);
    }
    passed += long;
  }
  return found;
}

function* candidates(
  kind: Kind,
  gap: number,
  shape: Point[],
  points: Point[],
  long: number,
  high: number,
  width: number,
  height: number,
): Generator<readonly [Point, number]> {
  const centres = Array.from({ length: GRID * GRID }, (_, k): Point => [
    ((k % GRID) + 0.5) * (width / GRID),
    (floor(k / GRID) + 0.5) * (height / GRID),
  ]);
  const across = (x: number): number => min(max(x - long / 2, ASIDE), width - long - 1);
  const down = (y: number): number => min(max(y - high / 2, 1), height - high - 1);
  const corner = ([x, y]: Point): Point => [across(x), down(y)];
  if (kind === "area") {
    const isWithin = within(shape);
    for (const centre of centres) {
      if (!isWithin(centre)) continue;
      const [x, y] = corner(centre);
      const ends = [x, x + long].flatMap((left): Point[] => [[left, y], [left, y + high]]);
      yield [[x, y], 3 * ends.filter((end) => !isWithin(end)).length];
    }
  }
  if (!points.length) return;
  const last = points.length - 1;
  const isArea = kind === "area";
  const away = isArea ? BESIDE * gap : gap;
  for (const [rank, share] of SHARES.entries()) {
    const [x, y] = points[floor(share * last)]!;
    const [centre, middle] = [across(x), down(y)];
    const [left, right, above, below] = [x - away - long, x + away, y - away - high, y + away];
    const around: Point[] = [
      [right, middle],
      [left, middle],
      [centre, above],
      [centre, below],
      [right, above],
      [right, below],
      [left, above],
      [left, below],
    ];
    for (const [i, each] of around.entries()) yield [each, rank + 0.5 * i + (isArea ? OUTSIDE : 0)];
  }
  for (const centre of centres) yield [corner(centre), FAR + nearest(centre, points) / 10];
}

/** The distance to the nearest of some points. */
const nearest = ([x, y]: Point, points: Point[]): number =>
  sqrt(min(...points.map(([px, py]) => (px - x) ** 2 + (py - y) ** 2)));

/** The test whether an upward ray from a point crosses the outline an odd number of times. */
function within(outline: Point[]): (point: Point) => boolean {
  const crossings = new Map<number, number[]>(); // where the outline is, by the x of a ray
  return ([x, y]) => {
    const heights =
      crossings.get(x) ??
      outline.flatMap(([x2, y2], i) => {
        const [x1, y1] = outline.at(i - 1)!;
        return x1 > x !== x2 > x ? [y1 + ((x - x1) * (y2 - y1)) / (x2 - x1)] : [];
      });
    crossings.set(x, heights);
    return heights.filter((each) => each < y).length % 2 > 0;
  };
}

/**
 * The shortest line from one of some points to a box; it has no length if the box is near or in the mark.
 * Through another box it counts as much longer.
 */
function leader(kind: Kind, box: Box, shape: Point[], points: Point[], others: Box[]): Line {
  let [best, least]: [Box, number] = [box, Infinity];
  for (const [x, y] of points) {
    const line: Box = [x, y, min(max(x, box[0]), box[2]), min(max(y, box[1]), box[3])];
    let long = round(1e6 * hypot(x - line[2], y - line[3])) / 1e6;
    if (long < least && others.some((other) => cross(line, other))) long += FARTHEST;
    if (long < least) [best, least] = [line, long];
  }
  const isArea = kind === "area";
  const isNear = isArea ? within(shape)([(box[0] + box[2]) / 2, (box[1] + box[3]) / 2]) : least < NEAR;
  return [best, isNear || !points.length ? 0 : least];
}

/** Whether a line goes through a box: neither the axes nor the line's normal separate them. */
function cross([x0, y0, x1, y1]: Box, box: Box): boolean {
  const [left, top, right, bottom] = box;
  const [dx, dy] = [x1 - x0, y1 - y0];
  const off = abs(dx * (top + bottom - 2 * y0) - dy * (left + right - 2 * x0));
  const around: Box = [min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)];
  return meet(around, box) && off < abs(dx) * (bottom - top) + abs(dy) * (right - left);
}
