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
 * If a script takes longer than two seconds to load, as where a machine has much to do, anywidget
 * drops whatever comes from then on: Python's answers, too. ipywidgets' own method takes them.
 */
export function receive(host: object): object {
  const given = host as Given;
  if (!given.widget_manager?.create_view) return host;
  const model = given.set({}) as Hidden; // sets nothing, and gives the model itself
  model._handle_comm_msg({ content: { data: {} } }).catch(() => {
    const above = Object.getPrototypeOf(Object.getPrototypeOf(model)) as Hidden;
    model.comm?.on_msg(above._handle_comm_msg.bind(model));
    model.comm?.send({ method: "request_state" }); // what was dropped already
  });
  return model;
}
