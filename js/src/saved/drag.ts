/** Drags and arrow keys on a saved picture. */

/** A handle: its place, and the request of a drag to another place, in pixels of the picture. */
export interface Grip {
  at: readonly [number, number];
  move(x: number, y: number): void;
}

/** Distance from the middle of a handle within which the pointer takes it. */
const REACH = 22;
const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowDown: [0, -1],
  ArrowUp: [0, 1],
};

/** Drag the nearest handle. */
export function moveByHand(group: SVGGElement, grips: () => Grip[], signal: AbortSignal): void {
  const svg = group.ownerSVGElement!;
  let taken: number | undefined;
  const place = ({ clientX, clientY }: PointerEvent): [number, number] => {
    const toPicture = group.getScreenCTM()!.inverse();
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(toPicture);
    return [x, y];
  };
  const take = (event: PointerEvent): void => {
    const [x, y] = place(event);
    const far = grips().map(({ at }) => Math.hypot(at[0] - x, at[1] - y));
    const nearest = Math.min(...far);
    if (event.button !== 0 || !(nearest <= REACH)) return;
    taken = far.indexOf(nearest);
    svg.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent): void => {
    if (taken !== undefined) grips()[taken]!.move(...place(event));
  };
  svg.addEventListener("pointerdown", take, { signal });
  svg.addEventListener("pointermove", move, { signal });
  for (const end of ["pointerup", "pointercancel"]) {
    svg.addEventListener(end, () => (taken = undefined), { signal });
  }
}

/** Arrow keys on a focused picture; `step` returns whether it moved anything. */
export function moveByKeys(
  svg: SVGSVGElement,
  step: (right: number, up: number) => boolean,
  signal: AbortSignal,
): void {
  svg.tabIndex = 0;
  svg.setAttribute("aria-keyshortcuts", Object.keys(ARROWS).join(" "));
  const press = (event: KeyboardEvent): void => {
    const arrow = ARROWS[event.key];
    if (!arrow || event.ctrlKey || event.metaKey || event.altKey || !step(...arrow)) return;
    event.preventDefault();
  };
  svg.addEventListener("keydown", press, { signal });
}
