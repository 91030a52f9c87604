/** Messages that anywidget 0.11 would drop. */

/** The part of an ipywidgets model that anywidget keeps from scripts. */
interface Hidden {
  comm?: { on_msg(callback: (message: unknown) => void): void; send(data: unknown): void };
  _handle_comm_msg(message: unknown): Promise<void>;
}

/** What a script gets; the manager of ipywidgets can create views, those of other front ends cannot. */
interface Given {
  set(values: object): unknown;
  widget_manager?: { create_view?: unknown };
}

/**
 * See to it that what Python sends arrives, and return what is the same for all views of a model.
 *
 * If scripts take longer than two seconds to load, as where a machine has much to do, anywidget
 * drops whatever comes from then on, for every widget whose script was not there: Python's answers,
 * too. ipywidgets' own method takes them; the model keeps it, so that this is done once.
 */
export function receive(host: object): object {
  const given = host as Given;
  // Sets nothing, and Backbone gives the model itself.
  const model = (given.widget_manager?.create_view && given.set({})) as Hidden | undefined;
  if (!model?._handle_comm_msg) return host;
  model._handle_comm_msg({ content: { data: {} } }).catch(() => {
    const above = Object.getPrototypeOf(Object.getPrototypeOf(model)) as Hidden;
    model._handle_comm_msg = above._handle_comm_msg.bind(model);
    model.comm?.on_msg(model._handle_comm_msg);
    model.comm?.send({ method: "request_state" }); // what was dropped already
  });
  return model;
}
