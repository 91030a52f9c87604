/** Rules of embedded views, beside those of a saved page. */

export const STYLE = `
.view { max-width: none; margin: 0; border-radius: 6px; box-sizing: border-box; }
.view .page > .beside { grid-row: auto; }
.view figure { max-width: var(--dpviz-widest, var(--widest, 760px)); }
/* A slide is 700 pixels high. */
:host(.dpviz-on-slide) .view { --widest: 400px; }
/* One picture leaves room for the controls. */
@container (width >= 640px) {
  .page:has(figure:only-child) { grid-template-columns: 220px minmax(0, 1fr); }
  .page:has(figure:only-child) > * { grid-column: 2; }
  .page:has(figure:only-child) > .beside { grid-column: 1; } }
[hidden], .dpviz-upload-going[hidden] { display: none; }
.headline { font-size: 1.25em; font-weight: 600; margin: .2em 0; min-height: 1lh; }
[role=status] p:empty { display: none; }
[role=status] p { margin: .3em 0; }
.dpviz-upload { border: 1px dashed var(--edge); border-radius: 4px; padding: 4px 6px; }
.dpviz-upload-over { outline: 2px solid var(--link); }
.dpviz-upload-invite, .dpviz-upload-going { display: flex; flex-wrap: wrap; align-items: center; gap: 0 .5em; }
.dpviz-upload progress { flex: 1 1 4em; min-width: 3em; accent-color: var(--link); }
@media print { .beside { display: none; } }
`;
