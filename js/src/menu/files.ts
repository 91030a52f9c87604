/** Files and texts for the user, made of what the kernel sent. */

import { make } from "./dialog";

const SCALE = 2; // pixels of a PNG per unit of the SVG

/** Hand a file to the browser's downloads. */
export function download(name: string, file: Blob): void {
  const link = make("a", "", { href: URL.createObjectURL(file), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** An image of an SVG document. */
export async function imageOf(svg: Blob, text: string): Promise<HTMLImageElement> {
  const image = make("img", "", { alt: text, src: URL.createObjectURL(svg) });
  await image.decode();
  return image;
}

/** An SVG document as PNG. */
export async function png(svg: Blob): Promise<Blob> {
  const image = await imageOf(svg, "");
  const canvas = make("canvas");
  [canvas.width, canvas.height] = [image.naturalWidth * SCALE, image.naturalHeight * SCALE];
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((done, failed) =>
    canvas.toBlob((file) => (file ? done(file) : failed(new Error("no PNG")))),
  );
}

/** Put a text on the clipboard; pages that are not secure have only the old way. */
export async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const box = make("textarea");
  box.value = text;
  document.body.append(box);
  box.select();
  document.execCommand("copy");
  box.remove();
}
