// Bundles into ../dpviz/static, or into the folder given: `node build.mjs [folder]`.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const FORMATS = { embed: "esm", live: "esm", menu: "esm", page: "esm", present: "esm", saved: "iife", tabs: "esm", upload: "esm" };

for (const [name, format] of Object.entries(FORMATS)) {
  await build({
    // The module of other people's pages has the name that they import.
    entryPoints: { [name === "embed" ? "dpviz" : name]: here(`src/${name}/index.ts`) },
    outdir: process.argv[2] ?? here("../dpviz/static"),
    absWorkingDir: here("."),
    outExtension: name === "embed" ? { ".js": ".mjs" } : {},
    bundle: true,
    minify: true,
    format,
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
}
