/** Writing a document's new text into it, so that focus and what listens stay where they are. */

type Tree = Element | DocumentFragment;

/**
 * Make the children of `old` those of `wanted`, which is used up. An element stays where another of
 * the same name and id was, with the other's attributes.
 */
export function morph(old: Tree, wanted: Tree): void {
  const nodes = Array.from(wanted.childNodes);
  nodes.forEach((node, i) => {
    const here = old.childNodes[i];
    if (!here) old.append(node);
    else if (here instanceof Element && node instanceof Element && isKept(here, node)) {
      for (const name of here.getAttributeNames()) {
        // Without a tabindex for a moment an element loses the focus; a reader opened what is open.
        if (!node.hasAttribute(name) && name !== "tabindex" && name !== "open") here.removeAttribute(name);
      }
      for (const name of node.getAttributeNames()) {
        const value = node.getAttribute(name)!;
        if (here.getAttribute(name) !== value) here.setAttribute(name, value);
      }
      morph(here, node);
    } else if (!here.isEqualNode(node)) here.replaceWith(node);
  });
  while (old.childNodes.length > nodes.length) old.lastChild!.remove();
}

const isKept = (here: Element, node: Element): boolean =>
  here.nodeName === node.nodeName && here.id === node.id;
