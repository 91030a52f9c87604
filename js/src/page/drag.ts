/** Drags and arrow keys on a saved picture. */

/** A handle: its place, and the request of a drag to another place, in pixels of the picture. */
export interface Grip {
  at: readonly [number, number];
  move(x: number, y: number): void;
  /** Whether a press there takes it, however far it is. */
  covers(x: number, y: number): boolean;
}

/** A press: the number of the handle, and where it began if a finger may still scroll the page. */
interface Press {
  taken: number;
  waits?: readonly [number, number];
}

/** Distance from the middle of a handle within which the pointer takes it. */
const REACH = 22;
const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowDown: [0, -1],
  ArrowUp: [0, 1],
};

/** Drag the nearest handle, or from anywhere the one that covers the place. */
export function moveByHand(group: SVGGElement, grips: () => Grip[], signal: AbortSignal): void {
  const svg = group.ownerSVGElement!;
  let press: Press | undefined;
  const place = ({ clientX, clientY }: PointerEvent): [number, number] => {
    const toPicture = group.getScreenCTM()!.inverse();
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(toPicture);
    return [x, y];
  };
  const take = (event: PointerEvent): void => {
    const [x, y] = place(event);
    const far = grips().map(({ at }) => Math.hypot(at[0] - x, at[1] - y));
    const nearest = Math.min(...far);
    const isNear = nearest <= REACH;
    const taken = isNear ? far.indexOf(nearest) : grips().findIndex(({ covers }) => covers(x, y));
    if (event.button !== 0 || taken < 0) return;
    svg.setPointerCapture(event.pointerId);
    if (isNear) press = { taken };
    else if (event.pointerType === "touch") press = { taken, waits: [x, y] };
    else {
      press = { taken };
      grips()[taken]!.move(x, y);
    }
  };
  const move = (event: PointerEvent): void => {
    if (!press) return;
    const { taken, waits } = press;
    const [x, y] = place(event);
    if (waits && Math.abs(x - waits[0]) < Math.abs(y - waits[1])) return;
    press = { taken };
    grips()[taken]!.move(x, y);
  };
  const release = (event: PointerEvent): void => {
    if (press?.waits) grips()[press.taken]!.move(...place(event)); // a finger's tap
    press = undefined;
  };
  svg.addEventListener("pointerdown", take, { signal });
  svg.addEventListener("pointermove", move, { signal });
  svg.addEventListener("pointerup", release, { signal });
  svg.addEventListener("pointercancel", () => (press = undefined), { signal });
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
