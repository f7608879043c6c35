import { hash } from 'node:crypto'
import { htmlPage, MARK_PATH } from './page.ts'

// Pages without a script, in the look of the console. The style is a part of the page, and its policy names it by its hash.

const STYLE = `
:root{color-scheme:light dark;--ground:light-dark(#f6f7f8,#111416);--panel:light-dark(#fff,#191d20);--line:light-dark(#dde2e5,#2f363b);
--edge:light-dark(#8a959c,#6d7a82);--text:light-dark(#1b2126,#e4e9ec);--faint:light-dark(#56626a,#9aa7af);--accent:light-dark(#0f766e,#5eead4);
--accent-text:light-dark(#fff,#08201d);--bad:light-dark(#b42335,#ff9ba4);--warn:light-dark(#8a5a00,#f3c35f)}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:.875rem/1.5 system-ui,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
main{max-width:26rem;margin:12vh auto 2rem;padding:2rem;background:var(--panel);border:1px solid var(--line);border-radius:12px;
box-shadow:0 1px 2px rgb(0 0 0/6%),0 8px 24px rgb(0 0 0/8%)}
@media(max-width:28rem){main{margin:2rem 1rem;padding:1.5rem 1.25rem}}
.brand{display:flex;align-items:center;gap:.5rem;margin:0 0 1rem;font-size:1rem;font-weight:700}
.brand svg{width:2rem;height:2rem}.brand rect{fill:var(--accent)}.brand path{fill:var(--accent-text)}
a{color:var(--accent)}code{font-family:ui-monospace,Menlo,monospace}
h1{font-size:1.25rem;font-weight:600;line-height:1.3;margin:0 0 .75rem}
p{margin:.5rem 0}
label{display:block;margin:.75rem 0 .25rem;font-size:.75rem;color:var(--faint)}
input,select{width:100%;padding:.5rem;font:inherit;color:inherit;background:var(--panel);border:1px solid var(--edge);border-radius:6px}
input[name=code]{font:1.25rem ui-monospace,Menlo,monospace;letter-spacing:.15em;text-transform:uppercase}
button,.button{display:inline-block;margin:1rem .5rem 0 0;padding:.5rem 1rem;font:inherit;font-weight:600;text-decoration:none;cursor:pointer;
color:var(--accent-text);background:var(--accent);border:1px solid var(--accent);border-radius:6px}
button.plain,.button.plain{color:var(--text);background:transparent;border-color:var(--edge)}
button.link{margin:0;padding:0;color:var(--accent);background:none;border:0;font-weight:400;text-decoration:underline}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:.75rem 0}
dt{color:var(--faint)}dd{margin:0;overflow-wrap:anywhere}
.faint{color:var(--faint)}.bad{color:var(--bad)}.warn{color:var(--warn)}
footer{margin-top:1.25rem;padding-top:.75rem;border-top:1px solid var(--line);color:var(--faint)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
`

/** For the `style-src` of the policy. */
export const PLAIN_STYLE_SOURCE = `'sha256-${hash('sha256', STYLE, 'base64')}'`

const BRAND =
  '<p class="brand"><svg viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="6"/>' +
  `<path d="${MARK_PATH}"/></svg> Gatehouse</p>`

/** One card with the mark and what is said. */
export function plainPage(title: string, content: string): string {
  return htmlPage(title, `<style>${STYLE}</style>`, `<main>${BRAND}${content}</main>`)
}
