/** A sentence, or the message that a view waits for the kernel. */

import type { Item } from "../live/bound";
import { block, mute, type Model } from "../live/models";
import type { Words } from "./sentences";

export interface TextSpec {
  name: string;
  model: string;
}

export function sentence(name: string, text: Model): Item<Words> {
  const draw = (texts: Words): void => {
    if (texts[name] === undefined) return; // the kernel writes it
    text.set({ value: block(`sentence dpviz-${name}`, texts[name]) });
  };
  return [draw, [mute(text, ["value"])]];
}
