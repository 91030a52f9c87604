/** Losses or scores of both classes from arrays, or from a CSV that never leaves the page. */

import type { Kind, Sample } from "../audit/ranking";
import { numberOf } from "../text/number_format";
import { amount } from "../upload/pieces";
import { shown } from "../upload/zone";
import { TEMPLATES } from "./templates";

/** A sentence for the reader, in place of scores. */
export class Unreadable extends Error {}

/** Of a file, about 2 million rows; more would make the page wait. */
const MOST_BYTES = 2 ** 25;
const LARGER =
  `a page reads at most ${amount(MOST_BYTES)}. ` +
  'Larger files need Python: dpviz.explore("path of the file").';
const EXAMPLE = "A CSV has a header such as “loss,member”, and 1 or 0 for the membership.";

/** `given` as of the option `scores`: an object of arrays, its JSON, the text of a CSV, or a file of one. */
export async function readScores(given: unknown): Promise<Sample> {
  if (typeof given === "string") return given.startsWith("{") ? readScores(parsed(given)) : readCsv(given);
  if (given instanceof Blob) {
    const name = given instanceof File ? shown(given.name) : "The file";
    if (given.size > MOST_BYTES) throw new Unreadable(`${name} has ${amount(given.size)}; ${LARGER}`);
    return readCsv(await given.text());
  }
  const { members, nonmembers, kind = "loss" } = (given ?? {}) as Partial<Sample>;
  if (kind !== "loss" && kind !== "score") {
    throw new Unreadable(`kind must be "loss" (low = member) or "score" (high = member), got ${quoted(kind)}.`);
  }
  return { members: numbers("members", members), nonmembers: numbers("nonmembers", nonmembers), kind };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Unreadable(`scores must be JSON with members and nonmembers, or a CSV, got ${quoted(text)}.`);
  }
}

function numbers(name: string, given: unknown): ArrayLike<number> {
  const all = given as ArrayLike<unknown> | undefined;
  if (typeof all !== "object" || all === null || typeof all.length !== "number") {
    throw new Unreadable(`scores.${name} must be an array of numbers, got ${quoted(given)}.`);
  }
  if (!all.length) throw new Unreadable(`scores.${name} must have at least one number, got an empty array.`);
  for (let i = 0; i < all.length; i++) {
    if (typeof all[i] !== "number" || Number.isNaN(all[i])) {
      throw new Unreadable(`scores.${name} must be numbers, got ${quoted(all[i])} at place ${i}.`);
    }
  }
  return all as ArrayLike<number>;
}

const quoted = (value: unknown): string => `“${shown(String(value))}”`;

export function readCsv(text: string): Sample {
  if (text.length > MOST_BYTES) throw new Unreadable(`The text has ${amount(text.length)}; ${LARGER}`);
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/);
  const separator = [",", ";", "\t"].find((each) => lines[0]!.includes(each)) ?? ",";
  const cells = (line: string): string[] => line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
  const names = cells(lines[0]!).map((name) => name.toLowerCase());
  const { loss, score, member, yes, no } = TEMPLATES.columns;
  const column = (role: string, known: string[]): number => {
    const found = names.flatMap((name, i) => (known.includes(name) ? [i] : []));
    if (found.length === 1) return found[0]!;
    const which = found.length ? "several columns" : "no column";
    const got = quoted(names.join(", "));
    throw new Unreadable(`The CSV has ${which} of ${role} (known: ${known.join(", ")}), got ${got}. ${EXAMPLE}`);
  };
  const [value, membership] = [column("losses or scores", [...loss, ...score]), column("memberships", member)];
  const kind: Kind = loss.includes(names[value]!) ? "loss" : "score";
  const wrong = (i: number, what: string, at: number, got = ""): Unreadable =>
    new Unreadable(`Row ${i} must have ${what} in column ${quoted(names[at])}, got ${quoted(got)}.`);
  const sample = { members: [] as number[], nonmembers: [] as number[], kind };
  for (let i = 1; i < lines.length; i++) {
    if (!lines[i]!.trim()) continue;
    const row = cells(lines[i]!);
    const number = numberOf(row[value] ?? "");
    const word = (row[membership] ?? "").toLowerCase().replace(/\.0$/, "");
    const isMember = yes.includes(word);
    if (number === undefined || Number.isNaN(number)) throw wrong(i, "a number", value, row[value]);
    if (!isMember && !no.includes(word)) throw wrong(i, "1 or 0", membership, row[membership]);
    (isMember ? sample.members : sample.nonmembers).push(number);
  }
  if (!sample.members.length) throw new Unreadable("The CSV has no members, only non-members: both are needed.");
  if (!sample.nonmembers.length) throw new Unreadable("The CSV has no non-members, only members: both are needed.");
  return sample;
}
