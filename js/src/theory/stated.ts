/** Several (epsilon, delta) statements at once; as in dpviz/theory/mechanisms/claims.py. */

import { approximate } from "./approximate";
import { NO_GUARANTEE, polyline, type Polyline, type Tradeoff } from "./claim";
import { exp, expit, expm1, log1p, max, min, timesExp } from "./exponentials";

/** Epsilon and delta of the statements that are the strictest somewhere, the largest epsilon first. */
export type Statements = readonly (readonly [number, number])[];

/** Up to FPR = FNR each statement decides up to its corner, beyond it in the mirror image. */
export function stated(statements: Statements): Tradeoff {
  if (!statements.length) return NO_GUARANTEE;
  const parts = statements.map(([epsilon, delta]) => approximate(epsilon, delta));
  const { x, y } = corners(statements);
  const last = parts.length - 1;
  const at = (fpr: number): Tradeoff => {
    const isSteep = fpr <= x[last]!;
    const passed = (isSteep ? x : y).filter((corner) => (isSteep ? corner < fpr : corner > fpr));
    return parts[min(passed.length, last)]!;
  };
  const [epsilon, delta] = statements[0]!;
  const ends = [...x, ...y.slice(0, last), 1 - delta];
  return {
    fnr: (fpr) => at(fpr).fnr(fpr),
    tpr: (fpr) => at(fpr).tpr(fpr),
    advantage: (fpr) => at(fpr).advantage(fpr),
    limit: delta > 0 ? Infinity : epsilon,
    kinks: ends.filter((each) => 0 < each && each < 1),
    vertices() {
      const steep = Array.from(x, (fpr, i) => [fpr, y[i]!] as const);
      const shallow = steep.slice(0, last).map(([a, b]) => [b, a] as const).reverse();
      return polyline([[0, 1 - delta], ...steep, ...shallow, [1 - delta, 0], [1, 0]]);
    },
  };
}

/** Where each statement gives way to the next one, the last one to its mirror image. */
function corners(statements: Statements): Polyline {
  const rises = risesOf(statements);
  return {
    x: Float64Array.from(statements, ([epsilon], i) => timesExp(-epsilon, rises[i]!)),
    y: Float64Array.from(statements, ([, delta], i) => 1 - delta - rises[i]!),
  };
}

/** How far above its delta the TPR of each statement is at its corner. */
function risesOf(statements: Statements): number[] {
  return statements.map(([epsilon, delta], i) => {
    const next = statements[i + 1];
    return next ? (delta - next[1]) / expm1(next[0] - epsilon) : (1 - delta) * expit(epsilon);
  });
}

export function deltaOfStated(statements: Statements, at: number): number {
  if (!statements.length) return 1;
  // delta(-e) = 1 - e^-e + e^-e delta(e), as the curve is symmetric.
  if (at < 0) return -expm1(at) + exp(at) * deltaOfStated(statements, -at);
  const steeper = statements.filter(([epsilon]) => epsilon > at).length;
  if (steeper === 0) return statements[0]![1];
  const [epsilon, delta] = statements[steeper - 1]!;
  return delta - expm1(at - epsilon) * risesOf(statements)[steeper - 1]!;
}

export function epsilonOfStated(statements: Statements, at: number): number {
  const reached = statements.filter(([, delta]) => delta <= at).length;
  if (!reached) return at === 1 ? 0 : Infinity;
  const [epsilon, delta] = statements[reached - 1]!;
  const share = (at - delta) / risesOf(statements)[reached - 1]!;
  return share < 1 ? max(0, epsilon + log1p(-min(share, 1 - 1e-16))) : 0;
}

/** The FPR of "member where the privacy loss is at least this". */
export function fprOfStatedLoss(statements: Statements, loss: number): number {
  if (!statements.length) return loss === -Infinity ? 1 : 0;
  if (loss === -Infinity) return 1;
  const { x, y } = corners(statements);
  const mirrored = statements.filter(([epsilon]) => -epsilon >= loss).length;
  if (mirrored) {
    const left = statements.length - mirrored;
    return left ? y[left - 1]! : 1 - statements[0]![1];
  }
  const reached = statements.filter(([epsilon]) => epsilon >= loss).length;
  return reached ? x[reached - 1]! : 0;
}
