/**
 * Changes by the user that the kernel has not answered yet.
 *
 * The kernel gets all of them in one message, which replaces one that it has not processed yet:
 * messages are never queued. Its answer has the serial number of the last message it processed, so
 * that a stale answer cannot undo later changes.
 */

import { max } from "../theory/exponentials";
import type { Changes, ChangeMessage } from "./state";

export interface PendingChanges {
  /** Values that hold until the kernel answers. */
  changes(): Changes;
  /** Add the changes of a control, and return the message for the kernel. */
  add(key: string, changes: Changes): ChangeMessage;
  /** Drop the changes up to this message, which the kernel has processed. */
  answered(serial: number): void;
}

/** Serial numbers continue from the last message that the kernel has processed. */
export function pendingChanges(serial: number): PendingChanges {
  const pending = new Map<string, { key: string; value: number | null; serial: number }>();
  return {
    changes: () => Object.fromEntries(Array.from(pending, ([name, { value }]) => [name, value])),
    add(key, changes) {
      serial += 1;
      for (const [name, value] of Object.entries(changes)) {
        pending.set(name, { key, value, serial });
      }
      const all: ChangeMessage["changes"] = {};
      pending.forEach(({ key, value }, name) => {
        (all[key] ??= {})[name] = value === Infinity ? "inf" : value;
      });
      return { serial, changes: all };
    },
    answered(seen) {
      serial = max(serial, seen); // another page may send messages for the same widgets
      pending.forEach((change, name) => change.serial <= seen && pending.delete(name));
    },
  };
}
