/** At once, and then at most once per frame. */

export interface Framed {
  (): void;
  cancel(): void;
}

export function framed(draw: () => void): Framed {
  let frame = 0;
  let again = false;
  const next = (): void => {
    frame = 0;
    if (again) run();
  };
  const run = (): void => {
    again = false;
    frame = requestAnimationFrame(next);
    draw();
  };
  const request = (): void => {
    if (frame) again = true;
    else run();
  };
  return Object.assign(request, { cancel: () => cancelAnimationFrame(frame) });
}
