/** The headline, and what the attack detects at FPR 1 %, beside what the claim allows there. */

import { APPROXIMATE } from "../theory/claim";
import { admits } from "../theory/closed_forms";
import { abs } from "../theory/exponentials";
import { isClaimed, number, type AnswerState, type Shown } from "../state/state";
import { fill, texts } from "./fill";
import { percent, percentAtMost, short } from "./number_format";
import type { Words } from "./sentences";
import { unclaimed } from "./unclaimed";

/** Of two deltas that are equal but for rounding. */
const SAME = 1e-9;
/** Digits of an epsilon in the headline, which nothing else beside it repeats. */
const DIGITS = 6;

export function answerTexts(s: Shown, words: Words): Words {
  const { audit } = s;
  const claim = shortClaim(s);
  if (!audit) {
    const slots = { fpr: percent(s.fpr), "tpr": percentAtMost(s.f.tpr(s.fpr)), claim };
    const capital = claim.replace(/^[a-z]/, (letter) => letter.toUpperCase());
    const said = isClaimed(s) ? fill(words["answer.promise"], slots) : fill(words["answer.nothing"], { claim: capital });
    return { "answer": said, "answer_state": "promise", "at_one_percent": "" };
  }
  const state = answerOf(s);
  const most = s.f.tpr(0.01);
  // Of another claim the kernel has to say where the contradiction is clearest.
  const isClear = state === "contradicted" && !s.isAuditLate && audit.clearest !== null && audit.tpr <= most;
  const clearest = isClear ? fill(words["at_one_percent.clearest"], { fpr: percent(audit.clearest!) }) : "";
  const measured = audit["at_one_percent"];
  const said = unclaimed(s) ? "untested" : state;
  return {
    "answer": fill(words[`answer.${said}`], { kind: audit.kind, claim }),
    "answer_state": state,
    "at_one_percent": isTested(s)
      ? fill(words["at_one_percent"], { measured, "tpr": percentAtMost(most), clearest })
      : `${measured}.`,
  };
}

/** The claim without its delta. */
export function shortClaim({ given }: Shown): string {
  const digits = "epsilon" in given.parameters && given.kind === APPROXIMATE ? DIGITS : 3;
  return fill(given.short, texts(given.parameters, (value) => short(number(value), digits)));
}

/** Whether the measured rates are outside the region of a claim that is not contradicted. */
export function isOutsideByEstimate(s: Shown): boolean {
  const { measured, claim } = s;
  return !!measured && isTested(s) && answerOf(s) !== "contradicted" && !admits(claim, measured.fpr, measured.fnr);
}

/** Whether an audit says something of the claim. */
export const isTested = (s: Shown): boolean => answerOf(s) !== "no claim";

/** What the audit says of the claim: another epsilon at the same delta needs only a comparison. */
export function answerOf(s: Shown): AnswerState {
  const { audit, claim } = s;
  if (!audit) return "promise";
  if (!isClaimed(s)) return "no claim";
  if (!s.isAuditLate) return audit.state;
  const { bound, delta, ceiling } = audit;
  if (claim.kind !== APPROXIMATE || bound === null || delta === null) return "computing";
  if (abs(claim.delta - delta) > SAME * delta) return "computing";
  if (number(bound) > claim.epsilon) return "contradicted";
  return ceiling !== null && number(ceiling) <= claim.epsilon ? "cannot decide" : "not contradicted";
}
