/** Drawings on the SVG elements that Python wrote. */

import type { Polyline } from "../theory/claim";
import type { Drawing } from "../state/layers";
import { pixelOf, short, type PixelAxis } from "./axis";
import { clamp } from "../state/scale";
import type { Root } from "./page";

const PAPER = "#ffffff";
const FARTHEST = { low: -1e5, high: 1e5 };

/** Draw a mark by its role; return its place in pixels if it has one. */
export function drawMark(
  root: Root,
  role: string,
  id: string,
  { line, points, place, marker, hollow }: Drawing,
  x: PixelAxis,
  y: PixelAxis,
  markers: Record<string, string>,
): readonly [number, number] | undefined {
  const element = root.getElementById(id)!;
  if (line !== undefined) {
    show(element, line && pathOf(line, x, y) + (role === "area" ? "Z" : ""));
    return undefined;
  }
  if (points !== undefined) {
    show(element, points && markersAt(points, markers[id]!, x, y));
    return undefined;
  }
  if (!place) return undefined;
  const [across, upwards] = [clamp(place[0], x), clamp(place[1], y)];
  const [left, top] = [short(pixelOf(across, x)), short(pixelOf(upwards, y))];
  element.setAttribute("transform", `translate(${left} ${top})`);
  if (hollow !== undefined) fillOrEmpty(element, hollow);
  show(element, markers[marker ?? "triangle-up"]!);
  return [left, top];
}

/** A path of equal markers; `marker` is its path at (0, 0), relative after the first command. */
function markersAt(points: Polyline, marker: string, x: PixelAxis, y: PixelAxis): string {
  const [, left, top, rest] = /^M(\S+) (\S+?)([a-z].*)$/.exec(marker)!;
  return Array.from(points.x, (value, i) => {
    const [across, down] = [pixelOf(value, x), pixelOf(points.y[i]!, y)];
    return `M${short(across + Number(left))} ${short(down + Number(top))}${rest}`;
  }).join("");
}

/** The color of a marker fills it, or else draws its edge. */
function fillOrEmpty(element: HTMLElement, hollow: boolean): void {
  const isHollow = element.getAttribute("fill") === "none";
  const color = element.getAttribute(isHollow ? "stroke" : "fill")!;
  element.setAttribute("fill", hollow ? "none" : color);
  element.setAttribute("stroke", hollow ? color : PAPER);
}

function show(element: HTMLElement, path: string | null): void {
  if (path) element.setAttribute("d", path);
  if (path) element.removeAttribute("display");
  else element.setAttribute("display", "none");
}

function pathOf(line: Polyline, x: PixelAxis, y: PixelAxis): string {
  const corners = Array.from(line.x, (value, i) => {
    const [across, upwards] = [pixelOf(value, x), pixelOf(line.y[i]!, y)];
    return `${short(clamp(across, FARTHEST))} ${short(clamp(upwards, FARTHEST))}`;
  });
  return `M${corners.join("L")}`;
}
