/** The labels of a figure of bqplot: texts over each of its views, in the pixels that it has there. */

import { onEach } from "./access";
import { shortenNames } from "./axis_names";
import { listen, type Model, type Undo } from "./models";
import { followTheme } from "./theme";
import { pixelOf, type PixelAxis } from "../saved/axis";
import { lineHeight, place, type Box, type Kind, type Label, type Point } from "../state/labels";
import type { Axis } from "../state/layers";
import { batched, framed } from "../state/once_per_frame";

export interface LabelSpec {
  mark: string;
  text: string;
  kind: Kind;
  gap: number;
  color: string;
  handle: boolean;
}

const SIZE = 12;
/** From the upper edge of a line of text to its base line, over the size of the font. */
const ASCENT = 1;
const CHANGES = ["x", "y", "visible", "names"];

type PixelAxes = readonly [PixelAxis, PixelAxis];

/** Of each text of each mark. */
type LastPlaces = Map<string, Box | undefined>;

/** A mark with what is written beside it. */
interface Written {
  model: Model;
  spec: LabelSpec;
}

export function labels(
  figure: Model,
  specs: LabelSpec[],
  model: (reference: string) => Model,
  axes: () => readonly [Axis, Axis],
  scales: [Model, Model],
): Undo[] {
  const marks = specs.map((spec): Written => ({ model: model(spec.mark), spec }));
  // As in dpviz/pictures/svg/frame.py: there are fewer places beside a point than along a line.
  const order = ({ spec }: Written): number => Number(spec.kind !== "points") - Number(spec.handle);
  marks.sort((a, b) => order(a) - order(b));
  const views = new Map<Element, { draw: () => void; remove: () => void }>();
  const drawAll = framed(() => views.forEach(({ draw }) => draw()));
  const redraw = batched(drawAll); // with all marks where they are to be
  const undo = onEach(figure, (element, view) => {
    if (views.has(element)) return;
    const sheet = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    sheet.setAttribute("class", "dpviz-labels");
    let shown = "";
    const last: LastPlaces = new Map();
    let lastSize = "";
    const draw = (): void => {
      if (!views.has(element)) return; // removed while it waited for a frame
      const plot = element.querySelector(".plotarea_background");
      if (!plot) {
        if (element.clientWidth && element.isConnected) requestAnimationFrame(draw);
        return;
      }
      sizes.observe(plot);
      if (!sheet.isConnected) element.append(sheet);
      const [outer, inner] = [element.getBoundingClientRect(), plot.getBoundingClientRect()];
      if (!inner.width || !inner.height) return; // not in sight, or not laid out yet
      const size = SIZE * (Number(getComputedStyle(element).getPropertyValue("--dpviz-font-scale")) || 1);
      const [[left, right], [bottom, top]] = [
        view.padded_range("x", scales[0]),
        view.padded_range("y", scales[1]),
      ];
      const [x, y] = axes();
      const inPixels: PixelAxes = [
        { ...x, start: left, end: right },
        { ...y, start: bottom, end: top },
      ];
      const newSize = `${inner.width} ${inner.height} ${size}`;
      if (lastSize !== newSize) {
        last.clear(); // places in a picture of another size say nothing
        shortenNames(element, outer, inner);
      }
      lastSize = newSize;
      followTheme(sheet);
      // After other pictures have looked: each look after a change would lay out the page again.
      queueMicrotask(() => {
        const html = written(marks, inPixels, inner.width, inner.height, size, last);
        sheet.style.left = `${inner.x - outer.x}px`;
        sheet.style.top = `${inner.y - outer.y}px`;
        sheet.style.fontSize = `${size}px`;
        if (shown !== html) sheet.innerHTML = shown = html;
      });
    };
    const sizes = new ResizeObserver(draw);
    sizes.observe(element);
    view.on("margin_updated", redraw);
    const remove = (): void => {
      view.off("margin_updated", redraw);
      sizes.disconnect();
      sheet.remove();
    };
    views.set(element, { draw, remove });
    draw();
  });
  return [
    undo,
    ...marks.map(({ model }) => listen(model, CHANGES, redraw)),
    ...scales.map((scale) => listen(scale, ["min", "max"], redraw)),
    drawAll.cancel,
    () => {
      views.forEach(({ remove }) => remove());
      views.clear();
    },
  ];
}

function written(
  marks: Written[],
  [x, y]: PixelAxes,
  width: number,
  height: number,
  size: number,
  last: LastPlaces,
): string {
  const toPixels = (places: Point[]): Point[] =>
    places.map(([px, py]) => [pixelOf(px, x), pixelOf(py, y)]);
  const found: (Label & { color: string; key: string })[] = [];
  const others: Point[][] = [];
  for (const { model, spec } of marks) {
    if (!model.get("visible")) continue;
    const path = toPixels(placesOf(model));
    const names: string[] = spec.kind === "points" ? Array.from(model.get("names") ?? []) : [];
    const texts = names.length ? names : [spec.text];
    const paths = names.length ? path.map((each) => [each]) : [path];
    const known = texts.flatMap((text, i) => {
      const key = `${spec.mark} ${i}`;
      return text && paths[i] ? [{ ...spec, text, path: paths[i]!, key, last: last.get(key) }] : [];
    });
    found.push(...known);
    if (!known.length && spec.kind !== "points") others.push(path);
  }
  const places = place(found, others, width, height, size);
  places.forEach((each, i) => last.set(found[i]!.key, each?.box));
  return places.map((each, i) => (each ? group(each.box, each.lines, each.leader, found[i]!.color, size) : "")).join("");
}

function placesOf(model: Model): Point[] {
  const [x, y]: [ArrayLike<number>, ArrayLike<number>] = [model.get("x"), model.get("y")];
  const places = Array.from(x, (value, i): Point => [value, y[i]!]);
  if (model.get("interpolation") !== "step-after") return places;
  return places.flatMap(([at, height], i): Point[] => {
    const next = places[i + 1];
    return next ? [[at, height], [next[0], height]] : [[at, height]];
  });
}

function group(box: Box, lines: string[], leader: Box | undefined, color: string, size: number): string {
  const element = document.createElementNS("http://www.w3.org/2000/svg", "g");
  element.style.fill = color;
  const path = leader && `M${leader[0]} ${leader[1]}L${leader[2]} ${leader[3]}`;
  if (path) {
    const line = document.createElementNS(element.namespaceURI, "path") as SVGPathElement;
    line.setAttribute("d", path);
    line.style.stroke = color;
    element.append(line);
  }
  for (const [i, line] of lines.entries()) {
    const text = document.createElementNS(element.namespaceURI, "text");
    text.setAttribute("x", box[0].toFixed(1));
    text.setAttribute("y", (box[1] + i * lineHeight(size) + ASCENT * size).toFixed(1));
    text.textContent = line;
    element.append(text);
  }
  return element.outerHTML;
}
