import { hash } from 'node:crypto'

/** The whole style sheet is part of the page. Its colours follow the reader's light or dark mode. */
export const STYLE = `
:root { color-scheme: light dark; --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  --ink: #1c2128; --quiet: #59636e; --page: #fff; --panel: #f5f7f9; --line: #d6dce2;
  --accent: #0b5fb0; --get: #0f6b3a; --post: #0b5fb0; --delete: #a8201a; --must: #9a4a00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e8ee; --quiet: #a0abb7; --page: #10151b; --panel: #1a212a;
  --line: #333d49; --accent: #79b8ff; --get: #6fd08c; --post: #79b8ff; --delete: #ff9a94; --must: #f0b26b; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; color: var(--ink); background: var(--page);
  font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--page); z-index: 1; }
header { padding: 1rem; border-bottom: 1px solid var(--line); background: var(--panel); }
.brand { font-weight: 700; font-size: 1.15rem; color: inherit; text-decoration: none; }
.quiet, small, figcaption, thead th { color: var(--quiet); }
nav ul { list-style: none; margin: .5rem 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
nav ul ul { display: none; }
nav a { display: inline-block; padding: .2rem 0; text-decoration: none; }
nav a:hover { text-decoration: underline; }
main, footer { padding: 1rem; max-width: 60rem; }
footer { color: var(--quiet); }
h1 { font-size: 2rem; line-height: 1.2; margin: .5rem 0; }
h2 { font-size: 1.5rem; line-height: 1.25; margin: 3rem 0 .75rem; }
h3 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
h2 + article h3 { margin-top: 1rem; }
h4 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
#start h2 { font-size: 1.2rem; margin-top: 1.75rem; }
#schemas h3 { font-size: 1rem; margin: 1.5rem 0 0; }
#schemas p { margin: .15rem 0; }
.lead { font-size: 1.2rem; margin: 0 0 1rem; }
code { font: .875em/1.5 var(--mono); }
p code, li code, td code { background: var(--panel); border-radius: .25rem; padding: .1em .3em; }
figure { margin: .75rem 0; }
figcaption { font-size: .875rem; margin-bottom: .25rem; }
pre { margin: 0; font: .875rem/1.45 var(--mono); overflow-x: auto;
  padding: .85rem 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; }
pre code { font: inherit; overflow-wrap: normal; }
.endpoint code { padding: .35rem .6rem; border: 1px solid var(--line); border-radius: .5rem; display: inline-block; }
.get { color: var(--get); } .post { color: var(--post); } .delete { color: var(--delete); }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; font-weight: 400;
  padding: .45rem .75rem .45rem 0; border-top: 1px solid var(--line); }
thead th { font-size: .8125rem; border: 0; padding-bottom: .2rem; }
tbody th code { font-weight: 600; background: none; padding: 0; }
em { font-style: normal; font-size: .8125rem; color: var(--must); }
.limits { display: block; }
code.type { background: none; padding: 0; }
:target { scroll-margin-top: 1rem; }
tr:has(:target) { background: var(--panel); }
.nested > td { border: 0; padding-top: 0; }
summary { cursor: pointer; color: var(--accent); padding: .2rem 0; }
details > table, details > figure { margin: .25rem 0 .75rem; }
details > table { border-left: 3px solid var(--line);
  border-collapse: separate; border-spacing: 0; padding-left: .9rem; }
@media (min-width: 64rem) {
  body { display: grid; grid-template-columns: 16rem minmax(0, 1fr); }
  header { grid-row: 1 / 3; border: 0; border-right: 1px solid var(--line);
    position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem; }
  main, footer { padding: 1.5rem 2.5rem; }
  nav ul, nav ul ul { display: block; }
  nav ul ul { margin: 0 0 .5rem; font-size: .875rem; }
  .pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 1rem; }
  .pair pre { font-size: .78rem; }
  tbody th { width: 28%; } tbody th + td { width: 30%; }
}
@media (max-width: 40rem) {
  thead { position: absolute; left: -100vw; }
  table, tbody, tr, td { display: block; }
  tbody tr { border-top: 1px solid var(--line); padding: .4rem 0; }
  tbody tr.nested { border: 0; padding: 0 0 .4rem; }
  tbody th, th + td { display: inline; padding: 0 .4rem 0 0; }
  th, td { border: 0; padding: 0; }
  .limits, th + td > div { display: inline; }
  pre { font-size: .8125rem; }
}
@media print { header { position: static; height: auto; } nav { display: none; } }
`

/** Allows nothing but the style sheet above. */
export const DOCS_PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
