/** The labels of a saved picture, placed anew when its marks have moved. */

import { pixelOf, short, type PixelAxis } from "./axis";
import { lineHeight, place, type Box, type Kind, type Label, type Place, type Point } from "../state/labels";
import type { Root } from "./page";
import type { Shown } from "../state/state";
import { named } from "../text/unclaimed";

export interface SavedLabel {
  /** Id of the mark's element. */
  mark: string;
  texts: string[];
  kind: Kind;
  gap: number;
  color: string;
  /** Of points that stay: where they are, in units of the axes. */
  places: Point[];
}

const SIZE = 12;

/** Where a mark that is drawn here stands now, and its text, by the id of its element. */
export type Moved = Map<string, { text?: string; at: Point }>;

/** Return the function that writes all labels. */
export function savedLabels(
  root: Root,
  name: string,
  labels: SavedLabel[],
): (x: PixelAxis, y: PixelAxis, moved: Moved, shown: Shown) => void {
  const group = root.getElementById(`${name}-labels`)!;
  const labelled = new Set(labels.map(({ mark }) => mark));
  const silent = Array.from(root.querySelectorAll<SVGPathElement>(`#${name} [clip-path] path`))
    .filter((each) => !labelled.has(each.id) && !each.matches("[fill-opacity]:not([stroke])"));
  const last = new Map<string, Box | undefined>();
  return (x, y, moved, shown) => {
    const inAxes = (all: Point[]): Point[] => all.map(([px, py]) => [px - x.start, py - y.end]);
    const found: (Label & { color: string; name: string })[] = [];
    for (const { mark, texts, kind, gap, color, places } of labels) {
      const element = root.getElementById(mark)!;
      if (element.hasAttribute("display")) continue;
      const here = moved.get(mark);
      if (here) {
        const text = here.text ?? texts[0];
        if (text) found.push({ name: `${mark}-label-0`, text, kind, gap, color, path: inAxes([here.at]) });
      } else if (kind === "points") {
        const pixels = places.map(([px, py]): Point => [pixelOf(px, x), pixelOf(py, y)]);
        const paths = texts.length > 1 ? pixels.map((each) => [each]) : [pixels];
        texts.forEach((text, i) => {
          const name = `${mark}-label-${i}`;
          if (text) found.push({ name, text, kind, gap, color, path: inAxes(paths[i]!) });
        });
      } else {
        const path = inAxes(cornersOf(element));
        for (const each of texts) {
          found.push({ name: `${mark}-label-0`, text: named(each, shown), kind, gap, color, path });
        }
      }
    }
    const others = silent.filter((each) => !each.hasAttribute("display")).map((each) => inAxes(cornersOf(each)));
    for (const each of found) each.last = last.get(each.name);
    const placed = place(found, others, x.end - x.start, y.start - y.end, SIZE);
    placed.forEach((each, i) => last.set(found[i]!.name, each?.box));
    const written = placed.flatMap((each, i) =>
      each ? [labelOf(found[i]!.name, each, found[i]!.color, x.start, y.end)] : [],
    );
    group.firstElementChild!.replaceChildren(...written);
  };
}

/** The corners of a path of upper-case commands. */
function cornersOf(element: Element): Point[] {
  const corners: Point[] = [];
  let [x, y] = [0, 0];
  for (const [, command, numbers] of element.getAttribute("d")!.matchAll(/([MLHV])([^MLHVZ]*)/g)) {
    const [first, second] = numbers!.trim().split(/[ ,]+/).map(Number) as [number, number];
    if (command !== "V") x = first;
    if (command !== "H") y = command === "V" ? first : second;
    corners.push([x, y]);
  }
  return corners;
}

function labelOf(
  name: string,
  { box, lines, leader, atEnd }: Place,
  color: string,
  left: number,
  top: number,
): SVGElement {
  const make = (name: string, attributes: Record<string, string | number>): SVGElement => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) element.setAttribute(key, String(attributes[key]));
    return element;
  };
  const group = make("g", { id: name, fill: color });
  if (leader) {
    const [x1, y1, x2, y2] = leader;
    const d = `M${short(left + x1)} ${short(top + y1)}L${short(left + x2)} ${short(top + y2)}`;
    group.append(make("path", { d, stroke: color }));
  }
  lines.forEach((line, i) => {
    const x = short(left + box[atEnd ? 2 : 0]);
    const y = short(top + box[1] + i * lineHeight(SIZE) + SIZE);
    const at = { x, y, ...(atEnd && { "text-anchor": "end" }) };
    const halo = { stroke: "#ffffff", "stroke-width": 3, "stroke-linejoin": "round", "aria-hidden": "true" };
    for (const each of [make("text", { ...at, ...halo }), make("text", at)]) {
      each.textContent = line;
      group.append(each);
    }
  });
  return group;
}
