// What is wrong on an explorer's page, as [rule, what] pairs. Every rule is one that a reader sees.
([rules, leastPicture, mostEmpty]) => {
  const root = document.querySelector('.dpviz-Explorer');
  const page = root.getBoundingClientRect();
  const faults = [];
  const say = (rule, ...what) => rules.includes(rule) && faults.push([rule, what.join(' | ')]);
  const short = text => text.trim().replace(/\s+/g, ' ').slice(0, 48);
  const seen = e => {
    const { width, height } = e.getBoundingClientRect();
    const fold = e.closest('details:not([open])');
    return width >= 1 && height >= 1 && !e.closest('.dpviz-unseen, .dpviz-stage')
      && e.checkVisibility({ visibilityProperty: true, opacityProperty: true })
      && (!fold || e.closest('summary')?.parentElement === fold)
      && !e.closest('.dpviz-board .dpviz-words');
  };
  const all = selector => [...root.querySelectorAll(selector)].filter(seen);
  const meet = (a, b, x, y) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > x
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > y;
  const rows = boxes => boxes.reduce((tops, { top, height }) =>
    tops.some(y => Math.abs(y - top - height / 2) < 10) ? tops : [...tops, top + height / 2], []);

  // The part of the page in which an element can be seen; a notebook around it may be scrolled.
  const opening = e => {
    const part = { left: -1e9, top: -1e9, right: 1e9, bottom: 1e9 };
    for (let at = e; at && at !== root.parentElement; at = at.parentElement) {
      const { overflowX, overflowY, overflowClipMargin } = getComputedStyle(at);
      if (overflowX === 'visible' && overflowY === 'visible') continue;
      const box = at.getBoundingClientRect();
      const margin = [overflowX, overflowY].includes('clip') ? parseFloat(overflowClipMargin) || 0 : 0;
      if (overflowX !== 'visible') {
        part.left = Math.max(part.left, box.left - margin);
        part.right = Math.min(part.right, box.right + margin);
      }
      if (overflowY !== 'visible') {
        part.top = Math.max(part.top, box.top - margin);
        part.bottom = Math.min(part.bottom, box.bottom + margin);
      }
    }
    return part;
  };
  const isCut = (box, part) => part.left - box.left > 2 || box.right - part.right > 2
    || part.top - box.top > 4 || box.bottom - part.bottom > 4
    || box.right - page.right > 2 || page.left - box.left > 2;

  // Texts.
  const texts = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    if (!node.data.trim() || parent.closest('select, style, script') || !seen(parent)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const boxes = [...range.getClientRects()].filter(({ width }) => width > .5);
    texts.push(...boxes);
    const part = opening(parent);
    if (boxes.some(box => isCut(box, part))) say('text is cut', short(node.data));
    for (const { 0: number, index } of node.data.matchAll(/\d %|[\d.]+e-\d+/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + number.length);
      if (rows([...range.getClientRects()]).length > 1) say('number is broken', short(node.data));
    }
  }
  for (const e of all('input[type=text]'))
    if (e.scrollWidth > e.clientWidth) say('text is cut', e.value);
  for (const e of all(':is(.dpviz-number, .dpviz-audit-job) .widget-label')) // its end may be three dots
    if (e.scrollWidth > e.clientWidth) say('text is cut', short(e.textContent));
  for (const e of all('h2, h3, p, summary, .dpviz-sentence, .dpviz-title')) {
    const words = e.innerText.trim().split(/\s+/).length;
    if (words < 4 || e.querySelector('p, h3, .dpviz-sentence')) continue;
    const range = document.createRange();
    range.selectNodeContents(e);
    const lines = rows([...range.getClientRects()].filter(({ width }) => width > 1)).length;
    if (lines > 1 && words < 3 * lines) say('few words in a line', short(e.innerText));
  }

  // Controls.
  const controls = all('select, input:not([type=file]), button, summary, .noUi-target, [role=tab]')
    .map(e => ({ e, box: e.getBoundingClientRect(),
      name: short(e.innerText || e.getAttribute('aria-label') || e.className) }));
  controls.forEach((a, i) => controls.slice(i + 1).forEach(b => {
    if (!a.e.contains(b.e) && !b.e.contains(a.e) && meet(a.box, b.box, 3, 3))
      say('controls overlap', a.name, b.name);
  }));
  for (const { box, name } of controls)
    if (isCut(box, { left: page.left, top: -1e9, right: page.right, bottom: 1e9 }))
      say('control is cut', name);
  for (const head of all('.dpviz-head')) {
    const title = head.querySelector('.dpviz-title'), range = document.createRange();
    if (!title) continue;
    range.selectNodeContents(title);
    const lines = [...range.getClientRects()];
    for (const { e, box, name } of controls) // the box of a text is higher than its letters
      if (head.contains(e) && lines.some(line => meet(line, box, 1, 1)))
        say('title on a button', short(title.innerText), name);
  }
  const bar = all('[role=tab], .dpviz-buttons :is(button, summary)').map(e => e.getBoundingClientRect());
  if (rows(bar).length > 1) say('tabs and buttons in several lines', rows(bar).length);

  // Pictures side by side, below titles of one line.
  const begun = all('.dpviz-panel .dpviz-grid > * > .dpviz-place').map(e => e.getBoundingClientRect());
  const isLong = all('.dpviz-panel .dpviz-grid .dpviz-title').some(e => e.offsetHeight > 24);
  begun.forEach((a, i) => begun.slice(i + 1).forEach(b => {
    const apart = Math.abs(a.top - b.top);
    if (!isLong && apart > 3 && apart < 30) say('neighbours begin apart', Math.round(apart));
  }));

  // Pictures.
  for (const figure of all('.dpviz-figure')) {
    const box = figure.getBoundingClientRect(), part = opening(figure);
    const name = short(figure.getAttribute('aria-label') || figure.className);
    if (isCut(box, part)) say('picture is cut', name);
    const view = figure.closest('.dpviz-board .dpviz-grid > *');
    // The key of a square picture may stand beside it.
    const around = (figure.closest('.dpviz-place') ?? figure).getBoundingClientRect();
    if (view && around.width < leastPicture)
      say('picture is small', name, Math.round(around.width));
    const boxed = elements => elements.filter(e => e.textContent && e.getBoundingClientRect().width)
      .map(e => ({ text: e.textContent, box: e.getBoundingClientRect() }));
    const labels = [...figure.querySelectorAll('.dpviz-labels g')].flatMap((group, i) =>
      boxed([...group.querySelectorAll('text')]).map(label => ({ ...label, i })));
    const ticks = boxed([...figure.querySelectorAll('.axis .tick text')].filter(seen));
    const handles = [...figure.querySelectorAll('.dpviz-handle')].filter(seen)
      .map(e => e.getBoundingClientRect());
    labels.forEach((a, k) => {
      for (const b of labels.slice(k + 1))
        if (a.i !== b.i && meet(a.box, b.box, 2, 3)) say('labels overlap', name, a.text, b.text);
      if (handles.some(handle => meet(a.box, handle, 3, 3))) say('label on a handle', name, a.text);
      if (isCut(a.box, around)) say('label is cut', name, a.text);
    });
    // Segments of lines through the middle of a text, along most of it.
    const drawn = [...figure.querySelectorAll('.curve path.line')].filter(e => e.checkVisibility()
      && getComputedStyle(e).stroke !== 'none' && parseFloat(getComputedStyle(e).strokeWidth));
    for (const path of labels.length ? drawn : []) {
      const { a: wide, d: high, e: left, f: top } = path.getScreenCTM();
      const at = (path.getAttribute('d') ?? '').match(/-?[\d.]+(e-?\d+)?/g)?.map(Number) ?? [];
      for (const { text, box } of labels) {
        const [low, up] = [box.top + 4, box.bottom - 4];
        let struck = 0;
        for (let i = 2; i + 1 < at.length; i += 2) {
          const [[x0, y0], [x1, y1]] = [[at[i - 2], at[i - 1]], [at[i], at[i + 1]]]
            .map(([x, y]) => [left + wide * x, top + high * y]);
          if (Math.max(y0, y1) <= up && Math.min(y0, y1) >= low)
            struck += Math.max(0, Math.min(Math.max(x0, x1), box.right) - Math.max(Math.min(x0, x1), box.left));
          // The label of the claim moves along the ruler.
          const isTick = figure.matches('.dpviz-strip') && Math.abs(x1 - x0) < 1 && !text.startsWith('claimed');
          if (isTick && x0 > box.left + 2 && x0 < box.right - 2 && Math.min(y0, y1) < up && Math.max(y0, y1) > low)
            say('label on a tick', name, text);
        }
        if (struck > .6 * box.width) say('label is struck out', name, text);
      }
    }
    for (const { text, box } of ticks) // the box of a text is higher than its digits
      if (handles.some(handle => meet(box, handle, 1, 2))) say('handle on a tick', name, text);
    ticks.forEach((a, k) => ticks.slice(k + 1).forEach(b => {
      if (meet(a.box, b.box, 1, 3)) say('ticks overlap', name, a.text, b.text);
    }));
    for (const a of boxed([...figure.querySelectorAll('text.axislabel')].filter(seen))) {
      for (const b of ticks)
        if (meet(a.box, b.box, -2, 3)) say('axis name on a tick', name, a.text, b.text);
      if (isCut(a.box, part)) say('axis name is cut', name, a.text);
    }
  }

  // The page: squares of 16 pixels that hold something.
  const size = 16, across = Math.ceil(page.width / size), down = Math.ceil(page.height / size);
  const held = new Set();
  const hold = ({ left, top, right, bottom }) => {
    for (let y = Math.max(0, Math.floor((top - page.top) / size)); y < Math.min(down, (bottom - page.top) / size); y++)
      for (let x = Math.max(0, Math.floor((left - page.left) / size)); x < Math.min(across, (right - page.left) / size); x++)
        held.add(y * across + x);
  };
  texts.forEach(hold);
  all('.dpviz-figure, .dpviz-controls, .dpviz-note, table, button, select')
    .map(e => e.getBoundingClientRect()).forEach(hold);
  const empty = 1 - held.size / (across * down);
  if (empty > mostEmpty) say('much is empty', `${Math.round(100 * empty)} %`);
  if (document.documentElement.scrollWidth > innerWidth + 1) say('page scrolls sideways');
  return { height: page.height, faults };
}
