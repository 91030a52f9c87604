/**
 * The page of a result where Python writes it: in a file of its own, which has its data, and as a
 * widget. `js/src/embed` draws the same page where there is no Python.
 */

import { startSaved } from "./saved";
import { render } from "./widget";

const data = document.getElementById("saved-data");
if (data) startSaved(data);

export default { render };
