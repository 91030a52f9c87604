import type * as Declared from "../../../dpviz/static/dpviz";
import type * as Written from "../../src/embed/index";

/** The compiler sees to it that the module has what dpviz.d.ts declares; nothing runs. */
export const declared = (module: typeof Written): typeof Declared => module;
