/** The rows of the read-out, as in dpviz/analysis/topics/readout.py. */

import { ppvOf } from "../theory/risk";
import { isClaimed, type Shown } from "../state/state";
import { fill } from "./fill";
import { percent, short, upper } from "./number_format";
import type { Words } from "./sentences";
import { unclaimed } from "./unclaimed";

const CELLS = " | ";
const LATE = "…";

export function readoutTexts(s: Shown, words: Words): Words {
  const { f, prior, measured, audit, isAttackLate } = s;
  const isKnown = measured && !isAttackLate;
  const fpr = isKnown ? measured.fpr : s.fpr;
  const row = (most: number, reached?: number): string => {
    const limit = isClaimed(s) ? `≤ ${short(upper(100 * most))}` : "–";
    if (!measured) return limit;
    return limit + CELLS + (reached === undefined ? LATE : short(100 * reached));
  };
  const tpr = isKnown ? 1 - measured.fnr : undefined;
  const flagged = isKnown ? prior * tpr! + (1 - prior) * fpr : undefined;
  return {
    "readout_claim": unclaimed(s) || "claim",
    "readout_at": fill(words["readout_at"], { fpr: percent(fpr) }),
    "readout_caught": row(f.tpr(fpr), tpr),
    "readout_right": row(ppvOf(f, fpr, prior), flagged === undefined ? flagged : (prior * tpr!) / flagged),
    "readout_advantage": row(f.advantage(fpr), tpr === undefined ? tpr : tpr - fpr),
    "readout_one_percent": row(f.tpr(0.01), audit?.tpr),
  };
}

/** A row as the kernel wrote it, with other cells. */
export function fillCells(row: Element, text: string): void {
  row.querySelectorAll("td").forEach((cell) => cell.remove());
  for (const cell of text.split(CELLS)) row.append(Object.assign(document.createElement("td"), { textContent: cell }));
}
