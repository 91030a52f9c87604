// All tests in one process: a process for each file takes longer than its tests.
import { readdirSync } from "node:fs";

const bundle = new URL(".bundle/", import.meta.url);
for (const name of readdirSync(bundle)) await import(new URL(name, bundle));
