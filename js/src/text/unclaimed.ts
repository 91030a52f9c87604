/** What stands for "the claim" where no claim is tested, as in dpviz/naming.py. */

import { isClaimed, type Shown } from "../state/state";
import { isTested, shortClaim } from "./answer";

/** The guarantee that is drawn but that nobody claims, "ε = 1"; "" if there is a claim. */
export const unclaimed = (s: Shown): string => (isClaimed(s) && !isTested(s) ? shortClaim(s) : "");

/** The claim of a text, after a preposition or before its own numbers. */
const THE_CLAIM = /(of |by |under )?the claim( (?=\S = ))?/g;

export function named(text: string, s?: Shown): string {
  const name = s && unclaimed(s);
  return name
    ? text.replace(THE_CLAIM, (_, before = "", numbers) => (numbers ? before : (before && "at ") + name))
    : text;
}
