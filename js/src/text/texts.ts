/** A sentence, or the message that a view waits for the kernel. */

import type { Item } from "../live/bound";
import { block, mute, type Model } from "../live/models";
import { unbroken } from "./number_format";
import { fillCells } from "./readout";
import type { Words } from "./sentences";
import { write } from "./write";

export interface TextSpec {
  name: string;
  model: string;
}

/** Texts of several parts, of which the browser writes some into what the kernel wrote. */
const OF_PARTS = ["answer", "limits", "readout", "title"];

export function sentence(name: string, text: Model): Item<Words> {
  const hasParts = OF_PARTS.includes(name);
  const draw = (texts: Words): void => {
    if (hasParts && texts["answer"] !== undefined) text.set({ value: partsHtml(text.get("value"), texts) });
    else if (texts[name] !== undefined) text.set({ value: block(`sentence dpviz-${name}`, texts[name]) });
  };
  return [draw, [mute(text, ["value"])]];
}

/** The headline, named texts and rows of cells as the kernel wrote them, with what the browser knows. */
function partsHtml(written: string, texts: Words): string {
  const place = document.createElement("template");
  place.innerHTML = written;
  let result = written;
  for (const element of place.content.querySelectorAll<HTMLElement>("h2, [data-name]")) {
    const said = texts[element.dataset.name ?? "answer"];
    const text = unbroken(said ?? "");
    if (said === undefined || text === element.textContent) continue; // the kernel writes it
    if (element.tagName === "TR") fillCells(element, text);
    // Only of losses that contradict is the word in colour.
    else write(element, text, element.tagName === "H2" && texts["answer_state"] === "contradicted" ? "em" : "span");
    result = place.innerHTML;
  }
  return result;
}
