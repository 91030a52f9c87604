/** Drawing once for many changes: at most once per frame, or once per task. */

export interface Framed {
  (): void;
  cancel(): void;
}

/** At once, and then at most once per frame. */
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

/** Once after the task that requests it, however often: in the same frame, when all has changed. */
export function batched(act: () => void): () => void {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    queueMicrotask(() => {
      isWaiting = false;
      act();
    });
  };
}
