// The page's end of bridge.py: a comm per widget model, an HTMLManager, and display by model id.
(() => {
  const encode = (buffer) => {
    const bytes = new Uint8Array(buffer.buffer ?? buffer, buffer.byteOffset ?? 0, buffer.byteLength);
    return btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(""));
  };
  const decode = (text) => new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);

  class PageComm {
    constructor(id) {
      this.comm_id = id;
      this.target_name = "jupyter.widget";
    }
    on_msg(callback) {
      this.message = callback;
    }
    on_close(callback) {
      this.closed = callback;
    }
    open() {
      return "";
    }
    close() {
      return "";
    }
    send(data, callbacks, _metadata, buffers) {
      const id = crypto.getRandomValues(new Uint32Array(2)).join("-");
      const idle = { content: { execution_state: "idle" }, parent_header: { msg_id: id } };
      const message = { comm_id: this.comm_id, data, buffers: (buffers ?? []).map(encode), id };
      const rest = () => callbacks?.iopub?.status?.(idle);
      window.toPython(JSON.stringify(message)).then(() => (bridge.held ? bridge.held.push(rest) : rest()));
      return id;
    }
  }

  // anywidget gives a model two seconds of the clock: here they are seconds in which frames come.
  AbortSignal.timeout = (milliseconds) => {
    const controller = new AbortController();
    let left = milliseconds * 0.06;
    const next = () => (left-- > 0 ? requestAnimationFrame(next) : controller.abort());
    next();
    return controller.signal;
  };

  const modules = ["@jupyter-widgets/html-manager", "@jupyter-widgets/base", "@jupyter-widgets/controls"];
  const comms = {};
  const bridge = (window.bridge = {});
  bridge.ready = new Promise((resolve, reject) =>
    requirejs(
      modules,
      (htmlManager) => {
        // What is there already is handed out at once: requirejs waits some milliseconds each time.
        const loader = (name) =>
          requirejs.defined(name)
            ? Promise.resolve(requirejs(name))
            : new Promise((ok, no) => requirejs([name], ok, no));
        const manager = new htmlManager.HTMLManager({ loader });
        bridge.manager = manager;
        bridge.receive = async (m) => {
          const message = {
            header: { msg_type: m.type, msg_id: m.parent },
            parent_header: { msg_id: m.parent },
            content: { comm_id: m.comm_id, data: m.data, target_name: "jupyter.widget" },
            metadata: m.metadata,
            buffers: m.buffers.map(decode),
          };
          if (m.type === "comm_open") {
            comms[m.comm_id] = new PageComm(m.comm_id);
            await manager.handle_comm_open(comms[m.comm_id], message);
          } else if (m.type === "comm_msg") {
            await comms[m.comm_id]?.message?.(message);
          } else {
            comms[m.comm_id]?.closed?.(message);
          }
        };
        // A page that was loaded again takes over the widgets that the kernel has.
        bridge.restore = async (state) => {
          const make = manager.new_model.bind(manager);
          manager.new_model = (options, values) => {
            const comm = (comms[options.model_id] = new PageComm(options.model_id));
            return make({ ...options, comm }, values);
          };
          await manager.set_state(state);
          manager.new_model = make;
        };
        bridge.show = async (id) => {
          const view = await manager.create_view(await manager.get_model(id));
          await manager.display_view(view, document.body);
        };
        // Loading a control injects the --jp-* style variables that bqplot's colours refer to.
        manager.loadClass("HBoxModel", "@jupyter-widgets/controls", "2.0.0").then(resolve, reject);
      },
      reject,
    ),
  );
})();
