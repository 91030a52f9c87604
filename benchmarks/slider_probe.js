// In the page: when did each picture last change, and when was the frame that shows it done?
(() => {
  const probe = (window.probe = { frame: 0, deadline: 0 });
  // By itself anywidget gives up a widget whose script, on a busy machine, takes two seconds.
  AbortSignal.timeout = () => new AbortController().signal;
  const waiting = new Set(); // pictures that changed since the last painted frame
  let inFrame = false;

  // Installed before anybody keeps a reference: a change made inside a frame shows in that frame,
  // any other one in the next.
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (call) =>
    request((time) => {
      inFrame = true;
      try {
        call(time);
      } finally {
        queueMicrotask(() => (inFrame = false)); // after the observers of what `call` changed
      }
    });

  const painted = new MessageChannel(); // its message comes after the frame is drawn
  painted.port1.onmessage = () => {
    probe.last = performance.now();
    probe.lastFrame = probe.frame;
    for (const picture of waiting) probe.paints[picture] = (probe.paints[picture] ?? 0) + 1;
    waiting.clear();
  };

  const changed = (picture) => {
    const isFirst = waiting.size === 0;
    waiting.add(picture);
    probe.changed = performance.now();
    if (!isFirst) return;
    if (inFrame) painted.port2.postMessage(0);
    else request(() => painted.port2.postMessage(0));
  };

  const restart = (start) =>
    Object.assign(probe, { start, changed: 0, last: 0, paints: {}, startFrame: probe.frame });
  restart(0);
  // Capturing on the window: before the slider has heard of it.
  window.addEventListener("keydown", (event) => restart(event.timeStamp), true);
  probe.restart = () => restart(performance.now());

  probe.countFrames = () => {
    const tick = () => {
      probe.frame += 1;
      request(tick);
    };
    request(tick);
  };

  // SVG: attributes or nodes of a picture that really differ.
  probe.watchSvg = (selector) => {
    const options = { subtree: true, childList: true, attributes: true, attributeOldValue: true };
    options.attributeFilter = ["d", "transform"];
    const isNew = (m) => m.type === "childList" || m.target.getAttribute(m.attributeName) !== m.oldValue;
    document.querySelectorAll(selector).forEach((element, i) =>
      new MutationObserver((records) => {
        if (records.some(isNew)) changed(i);
      }).observe(element, options),
    );
  };

  // A new <img> per change, on show once it is decoded.
  probe.watchImages = (selector) => {
    const seen = new WeakSet(document.querySelectorAll(selector));
    new MutationObserver(() => {
      for (const image of document.querySelectorAll(selector)) {
        if (seen.has(image)) continue;
        seen.add(image);
        image.decode().then(() => changed(0));
      }
    }).observe(document.body, { childList: true, subtree: true });
  };

  // An image copied onto a canvas that is on show.
  probe.watchCanvases = (selector) => {
    const original = CanvasRenderingContext2D.prototype.drawImage;
    CanvasRenderingContext2D.prototype.drawImage = function (...given) {
      original.apply(this, given);
      if (this.canvas.matches(selector)) changed(0);
    };
  };

  // [ms, frames] from the key to the last paint of `wanted` pictures, null when some stay as they
  // are; nothing may change for `quiet` ms after it.
  probe.settled = async (wanted, quiet, limit) => {
    const end = performance.now() + limit;
    while (performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      const isDone = waiting.size === 0 && Object.keys(probe.paints).length >= wanted;
      if (isDone && performance.now() - probe.last > quiet)
        return [probe.last - probe.start, probe.lastFrame - probe.startFrame];
    }
    return null;
  };
})();
