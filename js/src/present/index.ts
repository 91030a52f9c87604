/**
 * A presentation on the whole window: `dpviz/widgets/present.py` documents its traits.
 *
 * The key P begins it; arrow keys and Page Up and Down go through its slides; Esc ends it.
 */

import type { Host } from "../live/models";
import { receive } from "../live/receive";

interface Traits {
  is_open: boolean;
  slide: number;
  count: number;
}

const KEYS: Record<string, number> = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };
/** Elements that need letters or arrow keys themselves. */
const TYPED = "input, textarea, select, [contenteditable=true], .jp-Editor";
const MOVED = `${TYPED}, .noUi-handle, [role=slider]`;

/** The slide that a key goes to; undefined for any other key, and beyond the ends. */
export function goal(key: string, slide: number, count: number): number | undefined {
  const step = KEYS[key];
  if (step === undefined) return undefined;
  const next = slide + step;
  return next >= 0 && next < count ? next : undefined;
}

function render({ model, el }: { model: Host<Traits>; el: HTMLElement }): () => void {
  receive(model);
  let stage: HTMLElement | undefined;
  let before: Element | null = null;
  let isFullscreen = false;
  let waiting = 0;

  const change = <K extends keyof Traits>(name: K, value: Traits[K]): void => {
    model.set(name, value);
    model.save_changes();
  };
  /** Above everything else on the page, whatever it is in. */
  const raise = (): void => {
    if (stage?.matches(":popover-open")) stage.hidePopover();
    stage?.showPopover();
    stage?.focus();
  };
  const begin = (): void => {
    stage = host()?.querySelector<HTMLElement>(".dpviz-presentation") ?? undefined;
    if (!stage) {
      waiting = requestAnimationFrame(begin); // another widget, which comes in its own message
      return;
    }
    Object.assign(stage, { popover: "manual", tabIndex: -1, role: "dialog", ariaModal: "true" });
    stage.ariaLabel = "presentation";
    stage.dataset.lmSuppressShortcuts = "true";
    stage.addEventListener("keydown", onKey);
    raise();
    // Allowed after a key or a click only; without it the presentation fills the window.
    if (navigator.userActivation?.isActive && document.fullscreenEnabled) {
      isFullscreen = true;
      document.documentElement.requestFullscreen().then(raise, () => (isFullscreen = false));
    }
  };
  const end = (): void => {
    cancelAnimationFrame(waiting);
    if (stage?.matches(":popover-open")) stage.hidePopover();
    if (isFullscreen && document.fullscreenElement) void document.exitFullscreen();
    [stage, isFullscreen] = [undefined, false];
    if (before instanceof HTMLElement && before.isConnected) before.focus();
  };
  const follow = (): void => {
    if (!model.get("is_open")) return end();
    before = document.activeElement;
    begin();
  };
  const onKey = (event: KeyboardEvent): void => {
    event.stopPropagation(); // the notebook has commands for most keys
    if (event.key === "Escape") return change("is_open", false);
    if (event.key === "Tab") return stay(event);
    const isPage = event.key.startsWith("Page");
    if (!isPage && (event.target as Element).closest(MOVED)) return;
    const next = goal(event.key, model.get("slide"), model.get("count"));
    if (next === undefined) return;
    event.preventDefault();
    stage?.focus(); // what had it may leave with the slide
    change("slide", next);
  };
  /** Tab goes round within the presentation. */
  const stay = (event: KeyboardEvent): void => {
    const all = stage!.querySelectorAll<HTMLElement>("button, input, a[href], [tabindex='0']");
    const seen = Array.from(all).filter((each) => each.getClientRects().length);
    const [first, last] = [seen[0], seen[seen.length - 1]];
    const edge = event.shiftKey ? first : last;
    if (document.activeElement !== edge && document.activeElement !== stage) return;
    event.preventDefault();
    (event.shiftKey ? last : first)?.focus();
  };
  const onP = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() !== "p" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (model.get("is_open") || (event.target as Element).closest(TYPED)) return;
    event.preventDefault();
    event.stopPropagation();
    change("is_open", true);
  };
  /** Leaving the full screen by the browser's own key ends the presentation, too. */
  const onScreen = (): void => {
    if (isFullscreen && !document.fullscreenElement) change("is_open", false);
  };
  const host = (): HTMLElement | null => el.closest(".dpviz");
  /** Listen as soon as it has a place on the page. */
  const listen = (): void => {
    if (el.isConnected) host()?.addEventListener("keydown", onP);
    else arriving = requestAnimationFrame(listen);
  };
  let arriving = 0;
  listen();
  model.on("change:is_open", follow);
  document.addEventListener("fullscreenchange", onScreen);
  if (model.get("is_open")) follow();
  return () => {
    cancelAnimationFrame(arriving);
    host()?.removeEventListener("keydown", onP);
    model.off("change:is_open", follow);
    document.removeEventListener("fullscreenchange", onScreen);
    end();
  };
}

export default { render };
