/** Rules of embedded views, beside those of a saved page. */

export const STYLE = `
.view { max-width: none; margin: 0; border-radius: 6px; box-sizing: border-box; }
.view .page > .beside { grid-row: auto; }
.view figure { max-width: var(--dpviz-widest, var(--widest, 760px)); }
/* A slide is 700 pixels high, some of them for a title: what is below scrolls. */
:host(.dpviz-on-slide) .view { --widest: 400px; max-height: 600px; overflow-y: auto; }
/* One picture leaves room for the controls; on a slide they stay in sight. */
@container (width >= 640px) {
  .page:has(figure:only-child), :host(.dpviz-on-slide) .page { grid-template-columns: 220px minmax(0, 1fr); }
  .page:has(figure:only-child) > *, :host(.dpviz-on-slide) .page > * { grid-column: 2; }
  .page:has(figure:only-child) > .beside, :host(.dpviz-on-slide) .page > .beside { grid-column: 1; }
  :host(.dpviz-on-slide) .beside { grid-row: 1; align-self: start; position: sticky; top: 8px; }
  :host(.dpviz-on-slide) .board:has(figure + figure) { grid-template-columns: 1fr 1fr; }
  :host(.dpviz-on-slide) figure:not(:only-child) g[font-size] { font-size: 12px; } }
[hidden], .dpviz-upload-going[hidden] { display: none; }
.headline { font-size: 1.25em; font-weight: 600; margin: .2em 0; min-height: 1lh; }
[role=status] p:empty { display: none; }
[role=status] p { margin: .3em 0; }
.dpviz-upload { border: 1px dashed var(--edge); border-radius: 4px; padding: 4px 6px; }
.dpviz-upload-over { outline: 2px solid var(--link); }
.dpviz-upload-invite, .dpviz-upload-going { display: flex; flex-wrap: wrap; align-items: center; gap: 0 .5em; }
.dpviz-upload progress { flex: 1 1 4em; min-width: 3em; accent-color: var(--link); }
@media print { .beside { display: none; } :host(.dpviz-on-slide) .view { max-height: none; } }
`;
