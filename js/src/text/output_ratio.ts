/** The sentence of dpviz/analysis/topics/density_ratio.py. */

import { epsilonOf, type Shown } from "../state/state";
import { STATED } from "../theory/claim";
import { beyond } from "../theory/output_ratio";
import { fill } from "./fill";
import { percentAtMost, short } from "./number_format";
import type { Words } from "./sentences";

/** A smaller probability is rounding. */
const ROUNDING = 1e-12;

export function ratioText(s: Shown, words: Words): string {
  if (s.claim.kind === STATED) return words["no_outputs"]!;
  const epsilon = epsilonOf(s);
  const outside = beyond(s.claim, s.f, epsilon);
  const kind = epsilon === Infinity ? "any" : outside <= ROUNDING ? "inside" : "beyond";
  return fill(words[`ratio_lead.${kind}`], {
    epsilon: short(epsilon),
    "beyond": percentAtMost(outside),
  });
}
