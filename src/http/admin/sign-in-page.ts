// The pages for signing in and for the first owner. They are small on purpose: the console replaces them. Nothing is inline, so
// that the policy can forbid everything that does not come from this listener.

export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; " +
  "frame-ancestors 'none'"

type Field = { name: string; label: string; type: string; autocomplete: string }

const EMAIL: Field = { name: 'email', label: 'E-mail', type: 'email', autocomplete: 'username' }
const NAME: Field = { name: 'name', label: 'Name', type: 'text', autocomplete: 'name' }
const password = (autocomplete: string): Field => ({
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete,
})

export const SIGN_IN_PAGE = page('Sign in', [EMAIL, password('current-password')])
export const SETUP_PAGE = page('Set up your account', [EMAIL, NAME, password('new-password')])

function page(title: string, fields: readonly Field[]): string {
  const inputs = fields.map(
    ({ name, label, type, autocomplete }) =>
      `<label data-field="${name}">${label}<input name="${name}" type="${type}" autocomplete="${autocomplete}" required></label>`,
  )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title} · Gatehouse</title>
<link rel="stylesheet" href="/assets/sign-in.css">
<h1>${title}</h1>
<form>
${inputs.join('\n')}
<button>${title}</button>
<p id="note" role="status"></p>
</form>
<noscript><p>This page needs JavaScript. <code>gatehouse users --help</code> works without a browser.</p></noscript>
<script src="/assets/sign-in.js"></script>
</html>
`
}

export const SIGN_IN_STYLE = `body{font:1rem/1.5 system-ui,sans-serif;max-width:24rem;margin:4rem auto;padding:0 1rem}
label{display:block;margin:0 0 1rem}
input{display:block;box-sizing:border-box;width:100%;font:inherit;padding:.4rem}
button{font:inherit;padding:.4rem 1rem}
[hidden]{display:none}
`

/** The token of a link is taken out of the address, so that it does not stay in the history of the browser. */
export const SIGN_IN_SCRIPT = `'use strict'
const { fetch: send } = window
const form = document.querySelector('form')
const note = document.querySelector('#note')
const isSetup = location.pathname === '/setup'
const fragment = location.hash.slice(1)
const isInvitation = fragment.startsWith('invitation=')
const token = isInvitation ? fragment.slice('invitation='.length) : fragment
if (isSetup) history.replaceState(null, '', '/setup')
if (isInvitation) {
  const field = document.querySelector('[data-field=email]')
  field.hidden = true
  field.querySelector('input').disabled = true
}
if (!isSetup) showProviders()
async function showProviders() {
  const { password, providers } = await (await send('/sign-in/providers')).json()
  form.hidden = !password
  for (const { title, url } of providers) {
    const link = document.createElement('a')
    link.href = url
    link.textContent = 'Sign in with ' + title
    document.body.append(document.createElement('p'))
    document.body.lastChild.append(link)
  }
}
const path = isInvitation ? '/admin/invitations/accept' : isSetup ? '/admin/setup' : '/admin/sessions'
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  note.textContent = ''
  const body = Object.fromEntries(new FormData(form))
  if (isSetup) body.token = token
  try {
    const answer = await send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (answer.ok) return location.assign('/docs')
    note.textContent = (await answer.json()).error.message
  } catch {
    note.textContent = 'The gateway did not answer. Try again.'
  }
})
`
