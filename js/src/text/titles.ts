/** The titles that are findings, and the line below them, as in dpviz/analysis/topics. */

import { ppvOf } from "../theory/risk";
import { isClaimed, type Shown } from "../state/state";
import { answerOf, isOutsideByEstimate, shortClaim } from "./answer";
import { fill } from "./fill";
import { lower, percent, percentAtMost } from "./number_format";
import type { Words } from "./sentences";

/** In place of what the attack did at an FPR that the kernel has not measured yet. */
const LATE = "…";

export function titleTexts(s: Shown, words: Words): Words {
  const isBare = !isClaimed(s);
  const { prior, measured } = s;
  const none = words["title.no_claim"]!;
  const titles = isBare && !measured ? { "region_title": none, "tradeoff_title": none, "risk_title": none } : findings(s, words);
  return {
    ...titles,
    "region_subtitle": `Error rates${isBare ? "" : "; blue is allowed"}`,
    "risk_subtitle": fill(words["risk_subtitle"], { prior: percent(prior) }),
  };
}

function findings(s: Shown, words: Words): Words {
  const { f, prior, measured, isAttackLate } = s;
  const at = measured && !isAttackLate ? measured : { fpr: s.fpr, fnr: NaN };
  const isEstimate = !isAttackLate && isOutsideByEstimate(s);
  const rated = isEstimate ? "estimate" : "attack";
  const kind = !measured ? "promise" : answerOf(s) === "no claim" ? "measured" : rated;
  const fpr = percent(at.fpr);

  const caught = prior * (1 - at.fnr);
  const flagged = caught + (1 - prior) * at.fpr;
  const limit = ppvOf(f, at.fpr, prior);
  const right = isAttackLate ? LATE : percent(caught / flagged);
  return {
    "region_title": regionTitle(s, words, isEstimate, fpr),
    "tradeoff_title": fill(words[`tradeoff_title.${kind}`], {
      ...{ fpr, least: percent(lower(f.fnr(at.fpr))) },
      fnr: isAttackLate ? LATE : percent(at.fnr),
    }),
    "risk_title": fill(words[`risk_title.${flagged === 0 ? "nobody" : kind}`], {
      ...{ right, most: percentAtMost(limit) },
    }),
  };
}

function regionTitle(s: Shown, words: Words, isEstimate: boolean, fpr: string): string {
  if (!s.measured) return fill(words["region_title.promise"], { claim: shortClaim(s) });
  const state = answerOf(s);
  const hasVerdict = state === "contradicted" || state === "computing" || state === "no claim";
  const kind = hasVerdict ? state : s.isAttackLate ? "late" : isEstimate ? state : "inside";
  return fill(words[`region_title.${kind}`], { fpr });
}
