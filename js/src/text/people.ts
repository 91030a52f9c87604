/** The sentences of dpviz/analysis/topics/people.py. */

import type { Shown } from "../state/state";
import { about, type People } from "../theory/people";
import { fill } from "./fill";
import { percent, short, upper } from "./number_format";
import type { Words } from "./sentences";

/** `late` is added to what an attack did at another FPR than the selected one. */
export function peopleTexts({ people, prior }: Shown, words: Words, late: string): Words {
  const { fpr, tpr, isMeasured, hundreds, population } = people;
  const { detected, flagged } = population;
  const called = `${detected + flagged} ${detected + flagged === 1 ? "person" : "people"}`;
  const slots = { ...population, called, prior: percent(prior) };
  const rates = isMeasured
    ? { detected: about(tpr), flagged: about(fpr), allowed: hundreds.members - hundreds.required }
    : { detected: short(upper(100 * tpr)), flagged: short(100 * fpr) };
  return {
    people: fill(words[`people.${isMeasured ? "attack" : "claim"}`], rates) + late,
    population: fill(words[`population.${populationCase(people)}`], slots) + late,
    population_counts: fill(words["population.counts"], slots),
  };
}

function populationCase({ isMeasured, population }: People): string {
  const { members, detected, flagged } = population;
  if (members === 0) return "few";
  if (detected + flagged === 0) return "none";
  return isMeasured ? "attack" : "claim";
}
