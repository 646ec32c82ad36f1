/** The style of the reference page, dark or light as the system is. */
export const referenceStyle = `:root { color-scheme: light dark; --dim: light-dark(#59636e, #9198a1); --line: light-dark(#d1d9e0, #3d444d); --soft: light-dark(#f6f8fa, #151b23); }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
code { font: 0.92em ui-monospace, monospace; overflow-wrap: anywhere; }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin: 1rem 0; }
details { border-top: 1px solid var(--line); padding: 0.4rem 0; }
summary { cursor: pointer; }
details[open] > summary { margin-bottom: 0.5rem; }
.method { display: inline-block; min-width: 4rem; font: 600 0.85em ui-monospace, monospace; }
.codes, i { color: var(--dim); }
h4 { margin: 0.75rem 0 0.25rem; }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--dim); font-weight: 500; }
:target { background: var(--soft); }
`
