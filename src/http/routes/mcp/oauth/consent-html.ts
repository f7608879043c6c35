import { escapeHtml } from '../../../console/page.ts'
import { plainPage } from '../../../console/plain-page.ts'
import { messagePage, projectChoice } from '../../device/page-html.ts'
import { OAUTH_BASE } from './consent-path.ts'

// The page on which a person lets a program use MCP: a form without a script, under the policy of the page for codes.

type Consent = {
  request: string
  person: { id: string; name: string }
  program: string
  /** What the program says about itself is a claim; these are not. */
  facts: Readonly<Record<string, string>>
  projects: readonly { id: string; name: string }[]
  failure?: string | undefined
}

export function consentPage({ request, person, program, facts, projects, failure }: Consent): string {
  const rows = Object.entries(facts).map(([term, text]) => `<dt>${term}</dt><dd>${escapeHtml(text)}</dd>`)
  const failed = failure === undefined ? '' : `<p class="bad" role="alert">${escapeHtml(failure)}</p>`
  const signOut = `<form method="post" action="/v3/device"><input type="hidden" name="step" value="sign-out"><button class="link">Sign out</button></form>`
  return plainPage(
    'Allow access · Gatehouse',
    `<h1>Allow this program?</h1>
<p>It calls itself <b>${escapeHtml(program)}</b>. It can use tools in your name, and the project pays. Continue only if <b>you</b> have started this.</p>
<dl>${rows.join('')}</dl>${failed}<form method="post" action="${OAUTH_BASE}/consent">
<input type="hidden" name="request" value="${escapeHtml(request)}"><input type="hidden" name="person" value="${escapeHtml(person.id)}">
${projectChoice(projects)}
<button name="decision" value="confirm">Allow</button><button class="plain" name="decision" value="deny">Deny</button></form>
<footer>Signed in as ${escapeHtml(person.name)}. ${signOut}</footer>`,
  )
}

/** Leads on by itself, with a link for browsers that do not. A redirect would be bound by `form-action` of the policy. */
export function leadingPage({ title, text, url }: { title: string; text: string; url: string }): string {
  const address = escapeHtml(url)
  const next = `<meta http-equiv="refresh" content="0;url=${address}">`
  const page = plainPage(
    `${title} · Gatehouse`,
    `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p><p><a class="button" href="${address}">Continue</a></p>`,
  )
  return page.replace('<head>', `<head>\n${next}`)
}

export function refusedPage(text: string): string {
  return messagePage({ title: 'The program cannot be let in', text })
}
