import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

// Seen from the bundled tests in js/test/.bundle.
const SOURCES = new URL("../../src/", import.meta.url);

function sourceOf(file: string): string {
  return readFileSync(fileURLToPath(new URL(`${file}.ts`, SOURCES)), "utf8");
}

/** Files that a file imports, directly or not, as paths below src; packages by their names. */
function reached(file: string, found: Set<string> = new Set()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const imports = sourceOf(file).matchAll(/(?:from|import)\s*\(?\s*["']([^"']+)["']/g);
  for (const [, wanted] of imports) {
    if (wanted!.startsWith(".")) reached(join(dirname(file), wanted!), found);
    else found.add(wanted!);
  }
  return found;
}

const OUTSIDE = /\b(document|window|globalThis|fetch|Date|random|setTimeout|process)\b|^(let|var) /m;

for (const entry of ["theory/closed_forms", "text/number_format"]) {
  test(`${entry} imports only own files, and touches nothing outside`, () => {
    const files = [...reached(entry)];
    assert.ok(files.length > 1);
    for (const file of files) {
      assert.match(file, /^(theory|text|state)\/\w+$/);
      assert.doesNotMatch(sourceOf(file), OUTSIDE);
    }
  });
}
