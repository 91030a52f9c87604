// Bundles into ../dpviz/static, or into the folder given: `node build.mjs [folder]`.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/** Names of our own objects, which nobody outside a bundle reads: short there, unless quoted. */
const INTERNAL =
  "admitted advantage answered ask bind cancel claimDelta draw drawn given implied high kinks layer limit line low lowestFpr marker move own place point range source text tpr undo vertices waiting";
const FORMATS = { live: "esm", saved: "iife", upload: "esm" };

for (const [name, format] of Object.entries(FORMATS)) {
  const entry = here(`src/${name}.ts`);
  if (!existsSync(entry)) continue;
  await build({
    entryPoints: [entry],
    outdir: process.argv[2] ?? here("../dpviz/static"),
    absWorkingDir: here("."),
    bundle: true,
    minify: true,
    mangleProps: RegExp(`^(${INTERNAL.replaceAll(" ", "|")})$`),
    format,
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
}
