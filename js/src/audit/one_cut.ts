/**
 * A lower confidence limit of epsilon: the one-cut rank test, at 95 % confidence.
 *
 * The assumptions are those of dpviz/audit/bounds/rank.py, and so is the proof: a statistic that does
 * not fall when a member changes places with a non-member above has the largest tail probability for
 * leaky randomized response, whatever the delta; a p-value there is valid, also after all cuts were
 * looked at.
 *
 * **The statistic.** Every rank is a cut: the attack calls the records above it members. Of each cut
 * three counts of right guesses are looked at: those above it, those below it, and all. A count of
 * `right` guesses of `size` refutes epsilon if `size KL(right / size, p) >= -log(level)`, where p is
 * the chance of a right guess that epsilon allows, and KL the divergence of two coins. The statistic
 * is the largest epsilon that any count refutes. The levels only order the counts: the p-value
 * accounts for the search. The default test has pairs of cuts, too: the first and the last k records.
 *
 * **The p-value** is the probability that the members among the first k reach, for some k, the number
 * that refutes the statistic: a walk of one count, rank after rank. Let each record be a member with
 * the probability n / (n + m), and divide by the probability of n members in all. A member is in the
 * upper class with probability q = e^epsilon / (1 + e^epsilon), a non-member with 1 - q. Given the
 * number K of records in that class, ranks are independent, with one chance of a member down to rank
 * K and another below: one sum of probabilities before the class has ended, and one after.
 *
 * **Delta.** Members that leak stand at the very top, non-members that leak at the very bottom. More of
 * them raise the p-value, so their number is rounded up to one of a few pairs. Guesses that delta
 * alone may make right do not count, unless hardly a record is expected to leak.
 *
 * What is left out of the sums counts as a crossing. Tied members come last, so no count is too large.
 */

import { binomialPmf } from "../theory/binomial";
import { exp, expit, log, max, min, sqrt } from "../theory/exponentials";
import { CONFIDENCE } from "./band";
import { membersAmongFirst, type Ranking } from "./ranking";

const LEVEL = 1 - CONFIDENCE;
/** Levels of the counts, over the whole level. */
const LEVELS = { above: 0.3, below: 0.1, all: 2.6 };
/** Most expected leaks at which every guess counts. */
const HARDLY = 0.03;
/** Shares of the pairs of leaks up to each of those that are tried. */
const LEAKS = [0, 0.5, 0.9, 0.99, 1 - LEVEL / 40];
/** Standard deviations of K that are followed, and probabilities that are left out. */
const REACH = 9;
const LEAST = 1e-18;
/** Of the search for the limit. */
const PRECISION = 1e-7;
/** Ranks between pauses. */
const AT_ONCE = 512;

/** Steps of a computation, which may pause between any two, and its result. */
export type Steps<T> = Generator<void, T>;

/** The largest epsilon with a p-value of at most 5 %, or 0. */
export function* oneCutBound(r: Ranking, delta: number): Steps<number> {
  const test = testOf(r.members, r.nonmembers, delta);
  const largest = yield* statistic(test, membersAmongFirst(r));
  if (largest === undefined) return 0;
  const needed = fewestMembers(test, largest);
  const excess = function* (epsilon: number): Steps<number> {
    return log((yield* chance(test, needed, epsilon)) / LEVEL);
  };
  // Secants of the log p-value, inside a bracket.
  let [low, high] = [0, Infinity];
  let [at, there] = [0, yield* excess(0)];
  if (there > 0) return 0;
  let next = max(0.9 * largest, 0.01);
  while (high - low > PRECISION) {
    const here = yield* excess(next);
    if (here <= 0) low = next;
    else high = next;
    const secant = next - (here * (next - at)) / (here - there);
    [at, there] = [next, here];
    const inside = secant > low && secant < high ? secant : min((low + high) / 2, 2 * low + 0.1);
    next = min(max(inside, low + PRECISION / 2), high - PRECISION / 2);
  }
  return low;
}

/** The largest bound with so many records: that of a ranking with all members first. */
export function* oneCutCeiling(members: number, nonmembers: number, delta: number): Steps<number> {
  const falsePositives = Float64Array.of(0, 0, nonmembers);
  const truePositives = Float64Array.of(0, members, members);
  return yield* oneCutBound({ members, nonmembers, kind: "score", falsePositives, truePositives }, delta);
}

interface Test {
  n: number;
  m: number;
  /** Right guesses above, below and in all that delta may explain, and the pairs of leaks. */
  leaks: { above: number; below: number; all: number };
  pairs: { members: number; nonmembers: number; chance: number }[];
  /** The chance of more leaks than those of all pairs. */
  rest: number;
}

function testOf(n: number, m: number, delta: number): Test {
  const most = (share: number): number =>
    delta * (n + m) <= HARDLY ? 0 : quantile(binomialPmf(n + m, delta * share), 1 - LEVEL / 10);
  const [own, other] = [binomialPmf(n, delta), binomialPmf(m, delta)];
  const pairs: Test["pairs"] = [];
  let before = 0;
  for (const share of LEAKS) {
    const pair = { members: quantile(own, share), nonmembers: quantile(other, share) };
    const upto = sumTo(own, pair.members) * sumTo(other, pair.nonmembers);
    const last = pairs.at(-1);
    if (last?.members === pair.members && last.nonmembers === pair.nonmembers) continue;
    pairs.push({ ...pair, chance: upto - before });
    before = upto;
  }
  const leaks = { above: most(n / (n + m)), below: most(m / (n + m)), all: most(1) };
  return { n, m, leaks, pairs, rest: max(0, 1 - before) };
}

const sumTo = (pmf: Float64Array, last: number): number => pmf.subarray(0, last + 1).reduce((a, b) => a + b, 0);

/** The smallest count that is exceeded with a probability of at most 1 - `share`. */
function quantile(pmf: Float64Array, share: number): number {
  let [count, sum] = [0, pmf[0]!];
  while (sum < share && count < pmf.length - 1) sum += pmf[++count]!;
  return count;
}

/** Whether so many members among the first k refute an epsilon. */
function isRefuted({ n, m, leaks }: Test, k: number, members: number, up: number, down: number): boolean {
  const below = n + m - k;
  const right = m - k + members;
  const mean = (k * up + below * down) / (n + m);
  return (
    isTooMany(members - leaks.above, k - leaks.above, up, LEVELS.above) ||
    isTooMany(right - leaks.below, below - leaks.below, down, LEVELS.below) ||
    isTooMany(members + right - leaks.all, n + m - leaks.all, mean, LEVELS.all)
  );
}

function isTooMany(right: number, size: number, p: number, level: number): boolean {
  if (right <= size * p || size <= 0) return false;
  const wrong = size - right;
  const far = right * log(right / size / p) + (wrong > 0 ? wrong * log(wrong / size / (1 - p)) : 0);
  return far >= -log(min(0.5, LEVEL * level));
}

/** The chances of a right guess "member" and "non-member". */
const chancesAt = ({ n, m }: Test, epsilon: number): [up: number, down: number] => [
  expit(epsilon + log(n / m)),
  expit(epsilon - log(n / m)),
];

/** The largest epsilon, at most 50, that a count refutes; undefined if none refutes even -10. */
function* statistic(test: Test, among: Float64Array): Steps<number | undefined> {
  const isSomeRefuted = (epsilon: number): boolean => {
    const [up, down] = chancesAt(test, epsilon);
    for (let k = 1; k < among.length; k++) if (isRefuted(test, k, among[k - 1]!, up, down)) return true;
    return false;
  };
  let [low, high] = [-10, 50];
  if (!isSomeRefuted(low)) return undefined;
  for (let i = 0; i < 50; i++) {
    yield;
    const middle = (low + high) / 2;
    if (isSomeRefuted(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** The fewest members among the first 1, 2, ... that refute an epsilon; Infinity where none do. */
function fewestMembers(test: Test, epsilon: number): Float64Array {
  const { n, m } = test;
  const [up, down] = chancesAt(test, epsilon);
  const fewest = new Float64Array(n + m - 1);
  let count = 0;
  for (let k = 1; k < n + m; k++) {
    const most = min(k, n);
    count = max(count, k - m);
    while (count <= most && !isRefuted(test, k, count, up, down)) count++;
    while (count > max(0, k - m) && isRefuted(test, k, count - 1, up, down)) count--;
    fewest[k - 1] = count > most ? Infinity : count;
    count = min(count, most);
  }
  return fewest;
}

/** An upper bound of P(some count of the walk reaches `fewest`) under epsilon. */
function* chance({ n, m, pairs, rest }: Test, fewest: Float64Array, epsilon: number): Steps<number> {
  let total = rest;
  for (const { members, nonmembers, chance } of pairs) {
    total += chance * (yield* chanceWithLeaks(n, m, members, nonmembers, fewest, epsilon));
  }
  return min(1, total);
}

function* chanceWithLeaks(
  all: number,
  others: number,
  first: number,
  last: number,
  fewest: Float64Array,
  epsilon: number,
): Steps<number> {
  const [n, m] = [all - first, others - last];
  const total = n + m;
  if (n <= 0 || m <= 0) return 1;
  for (let k = 1; k < all + others; k++) {
    if (k <= first && k >= fewest[k - 1]!) return 1;
    if (k >= first + total && all >= fewest[k - 1]!) return 1;
  }
  const [share, q] = [n / total, expit(epsilon)];
  const wrong = 1 / (1 + exp(epsilon));
  const upper = share * q + (1 - share) * wrong;
  const [above, below] = [(share * q) / upper, (share * wrong) / (1 - upper)];
  const sizes = binomialPmf(total, upper);
  const spread = REACH * sqrt(total * upper * (1 - upper)) + 1;
  const [from, to] = [max(0, total * upper - spread), min(total, total * upper + spread)];
  // Of each number of members, the probability before and after the upper class has ended.
  const [inside, after] = [new Float64Array(n + 2), new Float64Array(n + 2)];
  inside[0] = 1;
  let [low, high] = [0, 1];
  for (let k = 0; ; k++) {
    if (k >= from && k <= to) for (let a = low; a < high; a++) after[a]! += sizes[k]! * inside[a]!;
    if (k === total) break;
    if (k % AT_ONCE === AT_ONCE - 1) yield;
    high = min(high + 1, n + 1);
    if (k <= to) addRank(inside, low, high, above);
    if (k >= from) addRank(after, low, high, below);
    const limit = max(0, (fewest[k + first] ?? Infinity) - first);
    for (; high > limit && high > low; high--) inside[high - 1] = after[high - 1] = 0;
    if (high === low) return 1;
    for (; high - low > 1 && inside[low]! < LEAST && after[low]! < LEAST; low++) inside[low] = after[low] = 0;
    for (; high - low > 1 && inside[high - 1]! < LEAST && after[high - 1]! < LEAST; high--) {
      inside[high - 1] = after[high - 1] = 0;
    }
  }
  return min(1, max(0, 1 - after[n]! / binomialPmf(total, share)[n]!) + 1e-15 * max(total, 100));
}

/** One rank more, with a member there of probability p. */
function addRank(counts: Float64Array, low: number, high: number, p: number): void {
  const stay = 1 - p;
  let before = 0;
  for (let a = low; a < high; a++) {
    const here = counts[a]!;
    counts[a] = here * stay + before * p;
    before = here;
  }
}
