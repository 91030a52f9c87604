// Bundles into ../dpviz/static, or into the folder given: `node build.mjs [folder]`.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const ROOMS = ["embed", "live", "menu", "page", "present", "tabs", "upload"];

for (const name of ROOMS) {
  await build({
    // The module of other people's pages has the name that they import.
    entryPoints: { [name === "embed" ? "dpviz" : name]: here(`src/${name}/index.ts`) },
    outdir: process.argv[2] ?? here("../dpviz/static"),
    absWorkingDir: here("."),
    outExtension: name === "embed" ? { ".js": ".mjs" } : {},
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
  });
}
