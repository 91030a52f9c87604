/**
 * What a hand asked for and the kernel has not answered yet.
 *
 * The kernel gets all of it at once, as often as it can: what it has not seen is replaced, never
 * queued. Its answer names the last question it has seen, so an answer that comes late cannot undo
 * what was done since.
 */

import { max } from "./exponentials";
import type { Changes, Question } from "./state";

export interface Hand {
  /** Values that hold until the kernel says otherwise. */
  changes(): Changes;
  /** Take changes down that a control asked for; what there is to ask the kernel now. */
  ask(key: string, changes: Changes): Question;
  /** The kernel has seen everything up to this question. */
  answered(serial: number): void;
}

/** Counts on from the last question that the kernel has seen. */
export function hand(serial: number): Hand {
  const pending = new Map<string, { key: string; value: number | null; serial: number }>();
  return {
    changes: () => Object.fromEntries(Array.from(pending, ([name, { value }]) => [name, value])),
    ask(key, changes) {
      serial += 1;
      for (const [name, value] of Object.entries(changes)) {
        pending.set(name, { key, value, serial });
      }
      const all: Question["changes"] = {};
      pending.forEach(({ key, value }, name) => {
        (all[key] ??= {})[name] = value === Infinity ? "inf" : value;
      });
      return { serial, changes: all };
    },
    answered(seen) {
      serial = max(serial, seen); // the same widgets may stand in another page, which asks too
      pending.forEach((asked, name) => asked.serial <= seen && pending.delete(name));
    },
  };
}
