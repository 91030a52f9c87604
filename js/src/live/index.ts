/**
 * The browser's half of a store: its controls and closed forms, which need no kernel.
 *
 * Each store has one; `dpviz/widgets/state/live.py` documents its traits. From the moment it is
 * `ready` it owns the sliders, boxes, marks and sentences that are named there.
 */

import { bound } from "./bound";
import { control, type ControlSpec, type ErrorPlace } from "./controls";
import { NUMBERS } from "../state/numbers";
import { framed } from "../state/once_per_frame";
import { closePopovers } from "./popovers";
import { pendingChanges } from "../state/pending_changes";
import { listen, lost, type Find, type Host, type Model, type Undo } from "./models";
import { picture, type PictureSpec } from "./pictures";
import { receive } from "./receive";
import { sentences, type Words } from "../text/sentences";
import {
  changed,
  shown,
  type RequestChanges,
  type ChangeMessage,
  type Shown,
  type State,
} from "../state/state";
import { sentence, type TextSpec } from "../text/texts";

/** The synced traits of `Live`. */
interface Traits extends LiveState {
  hand: ChangeMessage;
  ready: boolean;
  calm: boolean;
  words: Words;
  controls: ControlSpec[];
  pictures: PictureSpec[];
  texts: TextSpec[];
}

interface LiveState extends State {
  /** The serial number of the last message that the kernel has processed. */
  answers: number;
}

const STATE: string[] = [
  ...NUMBERS,
  ...["answers", "claim", "fixed", "measured", "ruler", "answer", "tails"],
];

function initialize({ model }: { model: Host<Traits> }): Undo {
  const manager = model.widget_manager;
  const find: Find = (reference) => manager.get_model(reference.slice(10));
  const own = receive(model) as Model;
  const kernelState = (): State =>
    Object.fromEntries(STATE.map((name) => [name, own.get(name)])) as never;
  const pending = pendingChanges(model.get("answers"));
  const now = (): Shown | undefined => shown(kernelState(), pending.changes());

  const request: RequestChanges = (key, changes) => {
    model.set("hand", pending.add(key, changes));
    model.save_changes();
    schedule();
  };
  const schedule = framed(() => {
    const [state, words, changes] = [kernelState(), model.get("words"), pending.changes()];
    const names = Object.keys(changes);
    const isWaiting = !!names.length;
    const isAlone = !own.comm_live;
    controls.draw(changed(state, changes));
    const late = isWaiting ? words[isAlone ? "late.alone" : "late"]! : "";
    // A claim with a closed form moves without the kernel; an attack's rates and bounds do not.
    const isOther = (name: string): boolean => name !== "epsilon" && STATE.includes(name);
    const isPartLate = !state.claim || (state.measured ? names.some(isOther) : "fnr" in changes);
    texts.draw({ late, "late.scores": isPartLate ? late : "" });
    const current = now();
    if (!current) return;
    const waiting = words[isAlone ? "alone" : "waiting"]!;
    const tail = state.measured ? waiting : "";
    const tails = isWaiting
      ? { ...state.tails, tradeoff: tail, risk: tail, "tradeoff_lead": `.${tail}` }
      : state.tails;
    pictures.draw([current, { ...words, waiting }]);
    const said = isAlone ? { ...words, "answer.computing": words["answer.alone"]! } : words;
    // The kernel's texts about another claim are not true of this one.
    const gone: Words = isWaiting && isAlone ? { "ruler": "", "reading": "" } : {};
    texts.draw({ ...sentences(current, said, { ...tails, waiting }), ...gone });
  });
  const place: ErrorPlace = {};
  const controls = bound<ControlSpec, State>(find, schedule, (spec, of) =>
    control(spec, of, request, schedule, place),
  );
  const pictures = bound<PictureSpec, [Shown, Words]>(find, schedule, (spec, of) =>
    picture(spec, of, request, now, schedule),
  );
  const texts = bound<TextSpec, Words>(find, schedule, (spec, of) =>
    sentence(spec.name, of(spec.model)),
  );
  const bind = (): void => {
    controls.bind(model.get("controls"));
    pictures.bind(model.get("pictures"));
    texts.bind(model.get("texts"));
  };
  const undo = [
    listen(own, [...STATE, "words"], () => {
      pending.answered(model.get("answers"));
      schedule();
    }),
    listen(own, ["controls", "pictures", "texts"], bind),
    lost(own, schedule),
    ...[controls, pictures, texts].map((each) => each.undo),
    schedule.cancel,
  ];
  bind();
  // ipywidgets itself notices a restart only.
  manager.kernel?.disposed.connect(() => manager.disconnect());
  closePopovers();
  model.set("calm", matchMedia("(prefers-reduced-motion: reduce)").matches);
  model.set("ready", true);
  model.save_changes();
  return () => undo.forEach((each) => each());
}

export default { initialize };
