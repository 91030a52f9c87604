/** The labels of a figure of bqplot: texts over each of its views, in the pixels that it has there. */

import { onEach, plotOf } from "./access";
import { shortenNames, thinTicks } from "./axis_names";
import { listen, type Model, type Undo } from "./models";
import { followTheme } from "./theme";
import { pixelOf, type PixelAxis } from "../page/axis";
import { lineHeight, place, textWidth, type Box, type Kind, type Label, type Place, type Point } from "../state/labels";
import type { Axis } from "../state/layers";
import { batched, framed } from "../state/once_per_frame";

export interface LabelSpec {
  mark: string;
  text: string;
  kind: Kind;
  gap: number;
  color: string;
  /** Where the mark is dragged: "x", "y", "both"; "" if it is fixed. */
  drag: string;
}

const SIZE = 12;
const CHANGES = ["x", "y", "visible", "names"];
/** Milliseconds without a change after which labels settle. */
const QUIET = 300;

/** Pixels of a plot, of the font of its labels, and for a key beside a square picture. */
interface Room {
  width: number;
  height: number;
  size: number;
  beside: number;
  tall: number;
}

/** Pixels that a key needs beside a square picture, and to the right of the plot. */
const KEY = 94;
const KEY_GAP = 14;
const ROWS_APART = 6;
const SAMPLE = 22;

type PixelAxes = readonly [PixelAxis, PixelAxis];

/** Of each text of each mark: its place, and the text with the place of its mark. */
type LastPlaces = Map<string, { box: Box | undefined; look: string }>;

/** A mark with what is written beside it. */
interface Written {
  model: Model;
  spec: LabelSpec;
  /** The label now. */
  text: () => string;
}

export function labels(
  figure: Model,
  specs: LabelSpec[],
  model: (reference: string) => Model,
  axes: () => readonly [Axis, Axis],
  scales: [Model, Model],
  named: (text: string) => string,
): Undo[] {
  const marks = specs.map((spec): Written => ({ model: model(spec.mark), spec, text: () => named(spec.text) }));
  const axisModels = (): Model[] => figure.get("axes");
  const views = new Map<Element, { draw: () => void; settle: () => void; remove: () => void }>();
  const drawAll = framed(() => views.forEach(({ draw }) => draw()));
  // While the user moves something the labels keep their places; afterwards they settle once.
  let timer: ReturnType<typeof setTimeout> | undefined;
  const settle = (): void => {
    if (document.querySelector(":active")) return wait(); // a button of the mouse is down
    views.forEach(({ settle }) => settle());
  };
  const wait = (): void => {
    clearTimeout(timer);
    timer = setTimeout(settle, QUIET);
  };
  const redraw = batched(() => {
    drawAll(); // with all marks where they are to be
    wait();
  });
  const undo = onEach(figure, (element, view) => {
    if (views.has(element)) return;
    const sheet = svg("svg", { class: "dpviz-labels" });
    const last: LastPlaces = new Map();
    let [lastSize, lastNames] = ["", ""];
    let room: Room | undefined;
    const draw = (): void => {
      if (!views.has(element)) return; // removed while it waited for a frame
      room ??= measured();
      if (!room) return;
      const [left, right] = view.padded_range("x", scales[0]);
      const [bottom, top] = view.padded_range("y", scales[1]);
      const [x, y] = axes();
      const inPixels: PixelAxes = [
        { ...x, start: left, end: right },
        { ...y, start: bottom, end: top },
      ];
      sheet.replaceChildren(...written(marks, inPixels, room, last));
      requestAnimationFrame(() => followTheme(sheet)); // the frame finds the styles
    };
    /** To look at the page lays it out: that takes longer than to draw. */
    const measured = (): Room | undefined => {
      const plot = plotOf(element);
      const parent = element.parentElement;
      if (!plot || !parent) {
        if (element.clientWidth) requestAnimationFrame(draw);
        return undefined; // not drawn yet, or not on the page
      }
      sizes.observe(plot);
      sizes.observe(parent);
      const outer = element.getBoundingClientRect();
      const inner = plot.getBoundingClientRect();
      const { width, height } = inner;
      if (!width || !height) return undefined; // not in sight, or not laid out yet
      const size = SIZE * (+getComputedStyle(element).getPropertyValue("--dpviz-font-scale") || 1);
      const newSize = `${width} ${height} ${size}`;
      const labels = axisModels().map((axis) => axis.get("label") as string);
      const newNames = `${newSize} ${labels}`;
      if (lastSize !== newSize) last.clear(); // places in a picture of another size say nothing
      if (lastNames !== newNames) {
        shortenNames(element, outer, inner, labels);
        thinTicks(element, width);
      }
      [lastSize, lastNames] = [newSize, newNames];
      sheet.style.left = `${inner.x - outer.x}px`;
      sheet.style.top = `${inner.y - outer.y}px`;
      sheet.style.fontSize = `${size}px`;
      if (!sheet.isConnected) element.append(sheet); // in its place: nothing is seen to move
      const isSquare = element.matches(".dpviz-panel .dpviz-square:not(.dpviz-PeopleView *)");
      const beside = isSquare ? parent.clientWidth - element.offsetWidth : 0;
      const forKey = beside < KEY ? 0 : outer.right - inner.right + beside - KEY_GAP;
      return { width, height, size, beside: forKey, tall: forKey && outer.bottom - inner.top };
    };
    const measure = (): void => {
      room = undefined;
      drawAll();
    };
    // After a new layout, or shown again as it was, the plot has its labels.
    const sizes = new ResizeObserver(() => {
      const found = measured();
      if (!found || JSON.stringify(found) === JSON.stringify(room)) return;
      room = found;
      drawAll();
    });
    sizes.observe(element);
    view.on("margin_updated", measure);
    const renamed = axisModels().map((axis) => listen(axis, ["label"], batched(measure)));
    const remove = (): void => {
      view.off("margin_updated", measure);
      renamed.forEach((stop) => stop());
      sizes.disconnect();
      sheet.remove();
    };
    const settle = (): void => {
      last.clear();
      draw();
    };
    views.set(element, { draw, settle, remove });
    draw();
  });
  return [
    undo,
    ...marks.map(({ model }) => listen(model, CHANGES, redraw)),
    ...scales.map((scale) => listen(scale, ["min", "max"], redraw)),
    drawAll.cancel,
    () => {
      clearTimeout(timer);
      views.forEach(({ remove }) => remove());
      views.clear();
    },
  ];
}

function written(
  marks: Written[],
  [x, y]: PixelAxes,
  room: Room,
  last: LastPlaces,
): Element[] {
  const { width, height, size } = room;
  const toPixels = (places: Point[]): Point[] =>
    places.map(([px, py]) => [pixelOf(px, x), pixelOf(py, y)]);
  const found: (Label & Sample & { key: string; look: string })[] = [];
  const others: Point[][] = [];
  for (const { model, spec, text } of marks) {
    if (!model.get("visible")) continue;
    const path = toPixels(placesOf(model));
    const names: string[] = spec.kind === "points" ? [...(model.get("names") ?? [])] : [];
    const texts = names.length ? names : [text()];
    const paths = names.length ? path.map((each) => [each]) : [path];
    const known = texts.flatMap((text, i) => {
      const key = `${spec.mark} ${i}`;
      const sample: Sample = {
        color: spec.color,
        marker: model.get("marker"),
        isFilled: model.get("fill") !== false,
        dashes: DASHES[model.get("line_style")],
      };
      const path = paths[i];
      if (!text || !path) return [];
      const before = last.get(key);
      const look = `${text} ${path}`;
      const gap = (spec.gap * size) / SIZE; // markers are as large as letters
      return [{ ...spec, ...sample, gap, text, path, key, look, last: before?.box, isStill: before?.look === look }];
    });
    found.push(...known);
    if (!known.length && spec.kind !== "points") others.push(path);
  }
  const listed = key(found, room);
  others.push(...found.splice(0, listed.length).map(({ path }) => path));
  const places = place(found, others, width, height, size);
  last.clear(); // what was not seen meanwhile has no place
  places.forEach((each, i) => last.set(found[i]!.key, { box: each?.box, look: found[i]!.look }));
  return [...listed, ...places.flatMap((each, i) => (each ? [group(each, found[i]!.color, size)] : []))];
}

/** What a key shows of a mark. */
interface Sample {
  color: string;
  marker?: string;
  isFilled: boolean;
  dashes?: string | undefined;
}

/** Of the styles of lines in bqplot, in a sample of 16 pixels. */
const DASHES: Record<string, string> = { dashed: "6", dotted: "2 5" };

/** The first labels below each other, as many as fit beside the plot, each behind a sample of its mark. */
function key(labels: (Label & Sample)[], { width, size, beside, tall }: Room): Element[] {
  if (!beside) return [];
  labels.sort((a, b) => a.kind.localeCompare(b.kind)); // areas, lines, points
  const left = width + KEY_GAP;
  let top = 0;
  return labels.flatMap(({ text, kind, color, marker, isFilled, dashes }) => {
    const lines = wrapped(text, beside - SAMPLE, size);
    const middle = top + 0.6 * size;
    const box: Box = [left + SAMPLE, top, 0, 0];
    top += lineHeight(size) * lines.length + ROWS_APART;
    if (top - ROWS_APART > tall) return [];
    const element = group({ box, lines, leader: undefined, atEnd: false }, color, size);
    const point = marker === "cross" ? "m8 -6v12m-6 -6h12" : "m2 0l6 -6l6 6l-6 6z";
    const shape = { area: "m0 -5h16v10h-16z", line: "h16", points: point };
    const sample = svg("path", { d: `M${left} ${middle}${shape[kind]}` });
    const fillOpacity = kind === "area" ? 0.2 : Number(isFilled);
    Object.assign(sample.style, { stroke: color, fill: color, strokeWidth: 2, fillOpacity, strokeDasharray: dashes });
    element.prepend(sample);
    return [element];
  });
}

/** A text in lines no wider than some pixels, where its words are not. */
function wrapped(text: string, width: number, size: number): string[] {
  const lines = [""];
  for (const word of text.split(/(?<![=≥]) (?![%=≥])/)) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (textWidth(longer, size) <= width || !lines.at(-1)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function placesOf(model: Model): Point[] {
  const x: ArrayLike<number> = model.get("x");
  const y: ArrayLike<number> = model.get("y");
  const places = Array.from(x, (value, i): Point => [value, y[i]!]);
  if (model.get("interpolation") !== "step-after") return places;
  return places.flatMap(([at, height], i): Point[] => {
    const next = places[i + 1];
    return next ? [[at, height], [next[0], height]] : [[at, height]];
  });
}

function svg(name: string, attributes: Record<string, string>): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name) as SVGElement;
  Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
  return element;
}

function group({ box, lines, leader, atEnd }: Place, color: string, size: number): Element {
  const element = svg("g", {});
  element.style.fill = color;
  if (leader) {
    const line = svg("path", { d: `M${leader[0]} ${leader[1]}L${leader[2]} ${leader[3]}` });
    line.style.stroke = color;
    element.append(line);
  }
  for (const [i, line] of lines.entries()) {
    const text = svg("text", {
      x: `${box[atEnd ? 2 : 0]}`,
      y: `${box[1] + i * lineHeight(size) + size}`,
      "text-anchor": atEnd ? "end" : "start",
    });
    text.textContent = line;
    element.append(text);
  }
  return element;
}
