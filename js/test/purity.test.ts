import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

// Seen from the bundled tests in js/test/.bundle.
const SOURCES = new URL("../../src/", import.meta.url);

function sourceOf(file: string): string {
  return readFileSync(fileURLToPath(new URL(`${file}.ts`, SOURCES)), "utf8");
}

/** Files that a file imports, directly or not, and whatever else it asks for. */
function reached(file: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  if (!file.startsWith("./")) return found;
  const asked = sourceOf(file).matchAll(/(?:from|import)\s*\(?\s*["']([^"']+)["']/g);
  for (const [, wanted] of asked) reached(wanted!, found);
  return found;
}

const OUTSIDE = /\b(document|window|globalThis|fetch|Date|random|setTimeout|process)\b|^(let|var) /m;

for (const entry of ["./closed_forms", "./wording"]) {
  test(`${entry} imports only own files, and touches nothing outside`, () => {
    const files = [...reached(entry)];
    assert.ok(files.includes(entry));
    for (const file of files) {
      assert.match(file, /^\.\/\w+$/);
      assert.doesNotMatch(sourceOf(file), OUTSIDE);
    }
  });
}
