// Bundles into ../dpviz/static, or into the folder given: `node build.mjs [folder]`.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const FORMATS = { live: "esm", menu: "esm", page: "esm", present: "esm", saved: "iife", tabs: "esm", upload: "esm" };

for (const [name, format] of Object.entries(FORMATS)) {
  await build({
    entryPoints: { [name]: here(`src/${name}/index.ts`) },
    outdir: process.argv[2] ?? here("../dpviz/static"),
    absWorkingDir: here("."),
    bundle: true,
    minify: true,
    format,
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
}
