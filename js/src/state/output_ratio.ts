/** The layer of dpviz/analysis/topics/density_ratio.py. */

import { polyline } from "../theory/claim";
import { abs, max, min } from "../theory/exponentials";
import { outputRatio, type OutputRatio } from "../theory/output_ratio";
import type { Layer } from "./layers";
import { clamp } from "./scale";
import { epsilonOf } from "./state";

/** As in Python: room above the largest ratio, and how far out an epsilon is still drawn. */
const ROOM = 1.15;
const FAR = 4;

/** The end of the axis of log ratios. */
function endOf({ corners }: OutputRatio, epsilon: number): number {
  const heights = corners.map(([, ratio]) => abs(ratio));
  const most = max(0.1, ...heights.filter((height) => height < Infinity));
  return ROOM * (epsilon <= FAR * most ? max(most, epsilon) : most);
}

export const OUTPUT_RATIO: Record<string, Layer> = {
  DensityRatio: {
    axes(s) {
      const ratio = outputRatio(s.claim, s.f);
      if (!ratio) return {};
      const { label, names, span: [low, high] } = ratio;
      const end = endOf(ratio, epsilonOf(s));
      return { x: { low, high, label, names }, y: { low: -end, high: end } };
    },
    draw(s, { low, high }, y) {
      const ratio = outputRatio(s.claim, s.f);
      if (!ratio) return { "band": { line: null }, "equal": { line: null }, "ratio": { line: null } };
      const limit = min(epsilonOf(s), y.high);
      const band = [[low, -limit], [high, -limit], [high, limit], [low, limit]] as const;
      return {
        "band": { line: limit ? polyline([...band]) : null },
        "equal": { line: polyline([[low, 0], [high, 0]]) },
        "ratio": { line: polyline(ratio.corners.map(([x, ratio]) => [x, clamp(ratio, y)] as const)) },
      };
    },
  },
};
