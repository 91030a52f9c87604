// In the page: how long until a user sees what was asked for?
(() => {
  const probe = (window.probe = {});
  // By itself anywidget gives up a widget whose script, on a busy machine, takes two seconds.
  AbortSignal.timeout = () => new AbortController().signal;
  const seen = (element) => element.checkVisibility({ visibilityProperty: true });
  const standIn = ".dpviz-still-views svg";
  const marks = "path.line, path.element, path.js-line, svg[role=img] path";
  const isDrawn = (picture) => seen(picture) && picture.querySelector(marks) !== null;

  probe.drawn = (pictures) => [...document.querySelectorAll(pictures)].filter(isDrawn).length;
  probe.start = () => (probe.started = performance.now());
  // Capturing on the window: before a tab has heard of it.
  window.addEventListener("pointerdown", probe.start, true);

  /** Milliseconds from the start to the end of the frame in which `holds` first held. */
  probe.until = (holds, limit) =>
    new Promise((resolve) => {
      const look = () => {
        if (performance.now() - probe.started > limit) return resolve(null);
        if (!holds()) return requestAnimationFrame(look);
        const drawn = () => resolve(performance.now() - probe.started);
        const painted = new MessageChannel(); // its message comes after the frame is drawn,
        painted.port1.onmessage = drawn;
        painted.port2.postMessage(0);
        requestAnimationFrame(drawn); // or later than the next one begins
      };
      requestAnimationFrame(look);
    });

  // The last change of the page before so many milliseconds without one, as `until` says it.
  probe.watch = () => {
    const all = { attributes: true, characterData: true, childList: true, subtree: true };
    probe.changed = null;
    new MutationObserver((records) => {
      const isOutput = ({ target }) => target.parentElement?.closest(".jp-OutputArea");
      if (records.some(isOutput)) probe.changed = performance.now();
    }).observe(document.body, all);
  };
  const isBusy = () => document.querySelector('[aria-busy="true"]') !== null;
  // All pictures that are to be seen, still or live.
  probe.shown = (pictures, limit) =>
    probe.until(() => {
      const all = [...document.querySelectorAll(pictures)].filter(seen);
      // Busy, the panel may show the tab before, or still views for those on their way.
      const isThere = !isBusy() || [...document.querySelectorAll(standIn)].some(seen);
      return isThere && all.length > 0 && all.every(isDrawn);
    }, limit);
  probe.settled = (pictures, quiet, limit) => {
    // A busy kernel lets the page rest for long: dpviz says until when there is something to come.
    const isStill = () =>
      probe.changed > probe.started &&
      performance.now() - probe.changed > quiet &&
      !isBusy();
    return probe
      .until(() => isStill() && probe.drawn(pictures) > 0, limit)
      .then((found) => found && probe.changed - probe.started);
  };
})();
