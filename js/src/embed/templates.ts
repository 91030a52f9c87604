/** What Python wrote for all embedded pictures: tests/parity/embed_templates.py makes the file. */

import type { LocalLevels } from "../audit/band";
import type { SavedControl } from "../page/control";
import type { SavedPicture } from "../page/picture";
import type { State } from "../state/state";
import type { Words } from "../text/sentences";
import json from "./templates.json";

export interface Templates {
  version: string;
  style: string;
  words: Words;
  markers: Record<string, string>;
  /** Of a claim of an epsilon and a delta, and of a mu. */
  states: { epsilon: State; mu: State };
  controls: Record<string, SavedControl & { html: string }>;
  /** Known names of columns, in lower case, and the words for "member" and "non-member". */
  columns: Record<"loss" | "score" | "member" | "yes" | "no", string[]>;
  levels: LocalLevels;
  pictures: Record<string, SavedPicture & { html: string }>;
}

export const TEMPLATES = json as unknown as Templates;
