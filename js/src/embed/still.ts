/** The pictures of a view as one SVG that stands alone. */

const GAP = 16;
const HEAD = 40;
const WIDTH = 480;
const FONTS = 'Helvetica, Arial, "Liberation Sans", sans-serif';
const SVG = "http://www.w3.org/2000/svg";

const make = (name: string, attributes: Record<string, string | number>, text = ""): SVGElement => {
  const element = document.createElementNS(SVG, name);
  put(element, attributes);
  element.textContent = text;
  return element;
};

function put(element: Element, attributes: Record<string, string | number>): void {
  for (const key in attributes) element.setAttribute(key, String(attributes[key]));
}

/** Two pictures in a row, each below its title. */
export function stillOf(root: ShadowRoot, title: string): string {
  const figures = Array.from(root.querySelectorAll<HTMLElement>("figure:not([hidden])"));
  const columns = Math.min(2, figures.length);
  const still = make("svg", { xmlns: SVG, role: "img", "font-family": FONTS, "font-size": 12 });
  still.append(make("title", {}, title));
  let [top, below] = [0, 0];
  figures.forEach((figure, i) => {
    const [left, isFirst] = [(i % columns) * (WIDTH + GAP), i % columns === 0];
    if (isFirst) top = below;
    const picture = figure.querySelector("svg")!.cloneNode(true) as SVGElement;
    const [, , width, height] = picture.getAttribute("viewBox")!.split(" ").map(Number) as number[];
    picture.removeAttribute("aria-describedby");
    put(picture, { x: left, y: top + HEAD, width: width!, height: height! });
    const texts = [figure.querySelector("h2"), figure.querySelector(".drawn")].map((each) => each?.textContent ?? "");
    still.append(make("text", { x: left + 4, y: top + 16, "font-size": 15, "font-weight": 600 }, texts[0]));
    still.append(make("text", { x: left + 4, y: top + 33, fill: "#5a5a5a" }, texts[1]), picture);
    below = Math.max(below, top + HEAD + height! + GAP);
  });
  const size = { width: columns * (WIDTH + GAP) - GAP, height: below };
  put(still, { ...size, viewBox: `0 0 ${size.width} ${size.height}` });
  still.prepend(make("rect", { width: "100%", height: "100%", fill: "#ffffff" }));
  return new XMLSerializer().serializeToString(still);
}
