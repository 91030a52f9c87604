/** The sentences of dpviz/analysis/topics/guess.py that closed forms need. */

import { APPROXIMATE } from "../theory/claim";
import type { Shown } from "../state/state";
import { max } from "../theory/exponentials";
import { candidatesOf } from "../theory/guessing";
import { fill } from "./fill";
import { percent, percentAtMost, short, upper } from "./number_format";
import type { Words } from "./sentences";

export function guessTexts({ claim, guess, best: at, costs, prior }: Shown, words: Words): Words {
  const chances = { kappa: percent(guess.kappa), bound: percentAtMost(guess.bound) };
  const kind = claim.kind === APPROXIMATE ? "named" : "noise";
  const best = fill(words[`guess.${guess.best === undefined ? "unknown" : kind}`], {
    k: short(candidatesOf(guess.kappa).total),
    best: percent(guess.best ?? 0),
  });
  const loose = fill(words["guess.loose"], {
    ...{ epsilon: short(upper(guess.epsilon)), delta: short(guess.delta) },
    loose: percentAtMost(guess.loose),
  });
  const isBlind = at.fpr + at.fnr === 1 && (at.fpr === 0 || at.fpr === 1);
  const where = isBlind ? (at.fpr ? "all" : "none") : "at";
  return {
    "guess_lead": fill(words["guess_lead"], chances),
    "guess": best + loose + words["guess.side"],
    "costs_lead": fill(words[`costs_lead.${where}`], { fpr: percent(at.fpr), fnr: percent(at.fnr) }),
    "costs": fill(words["costs"], {
      ...{ prior: percent(prior), gamma: short(at.gamma) },
      ...{ alarm: short(costs.alarm), miss: short(costs.miss) },
      blind: short(at.blindCost),
      share: percentAtMost(max(0, (at.blindCost - at.cost) / at.blindCost)),
    }),
  };
}
