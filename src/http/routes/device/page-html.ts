import { hash } from 'node:crypto'
import { escapeHtml, htmlPage } from '../../console/page.ts'

// The page for the code of a coding agent, as HTML: forms without a script, in the look of the console.

const STYLE = `
:root{color-scheme:light dark;--ground:light-dark(#f6f7f8,#111416);--panel:light-dark(#fff,#191d20);--line:light-dark(#dde2e5,#2f363b);
--edge:light-dark(#8a959c,#6d7a82);--text:light-dark(#1b2126,#e4e9ec);--faint:light-dark(#56626a,#9aa7af);--accent:light-dark(#0f766e,#5eead4);
--accent-text:light-dark(#fff,#08201d);--bad:light-dark(#b42335,#ff9ba4);--warn:light-dark(#8a5a00,#f3c35f)}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:.875rem/1.5 system-ui,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
main{max-width:26rem;margin:12vh auto 2rem;padding:1.5rem;background:var(--panel);border:1px solid var(--line);border-radius:6px}
h1{font-size:1.25rem;font-weight:600;line-height:1.3;margin:0 0 .75rem}
p{margin:.5rem 0}
label{display:block;margin:.75rem 0 .25rem;font-weight:600}
input,select{width:100%;padding:.5rem;font:inherit;color:inherit;background:var(--ground);border:1px solid var(--edge);border-radius:6px}
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

/**
 * Nothing runs, nothing is loaded, and forms reach this listener only. A form that a provider's page should follow is a link instead,
 * because browsers apply `form-action` to redirects.
 */
export const PAGE_POLICY =
  `default-src 'none'; style-src 'sha256-${hash('sha256', STYLE, 'base64')}'; img-src data:; form-action 'self'; ` +
  "base-uri 'none'; frame-ancestors 'none'"

type Provider = { name: string; title: string }
/** What went wrong with the step before. */
type Failed = { failure?: string | undefined }

export function signInPage({
  providers,
  hasPasswords,
  failure,
}: Failed & { providers: readonly Provider[]; hasPasswords: boolean }): string {
  const links = providers.map(
    ({ name, title }, index) =>
      `<p><a class="button${index > 0 || hasPasswords ? ' plain' : ''}" href="/v3/device/sign-in/${encodeURIComponent(name)}">Sign in with ${escapeHtml(title)}</a></p>`,
  )
  const password = form(
    'sign-in',
    `<label for="email">E-mail address</label><input id="email" name="email" type="email" autocomplete="username" required maxlength="254">
<label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1000">
<button>Sign in</button>`,
  )
  const ways = [...(hasPasswords ? [password] : []), ...links]
  return page(`<h1>Sign in</h1>
<p class="faint">A coding agent in a terminal waits for you to sign in.</p>
${failed(failure)}${ways.join('\n') || '<p>This gateway has no way to sign in. Ask an administrator of the gateway.</p>'}`)
}

export function codePage({ name, failure }: Failed & { name: string }): string {
  return page(
    `<h1>Enter the code</h1>
<p>Type the code that your terminal shows. Continue only if <b>you</b> have started this sign-in. Never type a code that another person has sent you.</p>
${failed(failure)}${form(
  'code',
  `<label for="code">Code</label><input id="code" name="code" required maxlength="20" autocomplete="off" autocapitalize="characters" spellcheck="false" placeholder="XXXX-XXXX">
<button>Continue</button>`,
)}`,
    name,
  )
}

type Waiting = {
  name: string
  code: string
  facts: Readonly<Record<string, string>>
  /** The terminal is in another network than the browser. */
  isElsewhere: boolean
  projects: readonly { id: string; name: string }[]
}

export function confirmPage({ name, code, facts, isElsewhere, projects, failure }: Failed & Waiting): string {
  const rows = Object.entries(facts).map(([term, text]) => `<dt>${term}</dt><dd>${escapeHtml(text)}</dd>`)
  const warning = isElsewhere
    ? '<p class="warn">The terminal and this browser have different network addresses. This is normal if the terminal is on a remote machine. Otherwise, deny the sign-in.</p>'
    : ''
  return page(
    `<h1>Allow this agent?</h1>
<p>It can call models in your name, and the project pays.</p>
<dl>${rows.join('')}</dl>${warning}${failed(failure)}${form(
      'decide',
      `<input type="hidden" name="code" value="${escapeHtml(code)}">
${projectChoice(projects)}
<button name="decision" value="confirm">Allow</button><button class="plain" name="decision" value="deny">Deny</button>`,
    )}`,
    name,
  )
}

function projectChoice(projects: Waiting['projects']): string {
  if (projects.length === 1)
    return `<p>Project: <b>${escapeHtml(projects[0]!.name)}</b></p><input type="hidden" name="project" value="${escapeHtml(projects[0]!.id)}">`
  const options = projects.map(({ id, name }) => `<option value="${escapeHtml(id)}">${escapeHtml(name)}</option>`)
  return `<label for="project">Project</label><select id="project" name="project" required><option value="">Choose one</option>${options.join('')}</select>`
}

/** The end, or why there is none. `name` is the person who has signed in, if there is one. */
export function messagePage({
  title,
  text,
  name,
  again = false,
}: {
  title: string
  text: string
  name?: string
  again?: boolean
}): string {
  const link = again ? '<p><a class="button" href="/v3/device">Try again</a></p>' : ''
  return page(`<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${link}`, name)
}

function form(step: string, content: string): string {
  return `<form method="post" action="/v3/device"><input type="hidden" name="step" value="${step}">${content}</form>`
}

function failed(failure: string | undefined): string {
  return failure === undefined ? '' : `<p class="bad" role="alert">${escapeHtml(failure)}</p>`
}

function page(content: string, name?: string): string {
  const signOut = `<form method="post" action="/v3/device"><input type="hidden" name="step" value="sign-out"><button class="link">Sign out</button></form>`
  const footer = name === undefined ? '' : `<footer>Signed in as ${escapeHtml(name)}. ${signOut}</footer>`
  return htmlPage('Sign in · Gatehouse', `<style>${STYLE}</style>`, `<main>${content}${footer}</main>`)
}
