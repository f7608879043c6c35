import { escapeHtml } from '../../console/page.ts'
import { PLAIN_STYLE_SOURCE, plainPage } from '../../console/plain-page.ts'

// The page for the code of a coding agent, as HTML: forms without a script, in the look of the console.

/**
 * Nothing runs, nothing is loaded, and forms reach this listener only. A form that a provider's page should follow is a link instead,
 * because browsers apply `form-action` to redirects.
 */
export const PAGE_POLICY =
  `default-src 'none'; style-src ${PLAIN_STYLE_SOURCE}; img-src data:; form-action 'self'; ` +
  "base-uri 'none'; frame-ancestors 'none'"

/** An identity provider, and the address at which a sign-in with it begins. */
type Way = { url: string; title: string }
/** What went wrong with the step before. */
type Failed = { failure?: string | undefined }

export function signInPage({
  ways,
  hasPasswords,
  failure,
}: Failed & { ways: readonly Way[]; hasPasswords: boolean }): string {
  const links = ways.map(
    ({ url, title }, index) =>
      `<p><a class="button${index > 0 || hasPasswords ? ' plain' : ''}" href="${escapeHtml(url)}">Sign in with ${escapeHtml(title)}</a></p>`,
  )
  const password = form(
    'sign-in',
    `<label for="email">E-mail address</label><input id="email" name="email" type="email" autocomplete="username" required maxlength="254">
<label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1000">
<button>Sign in</button>`,
  )
  const all = [...(hasPasswords ? [password] : []), ...links]
  return page(`<h1>Sign in</h1>
<p class="faint">A program waits for you to sign in.</p>
${failed(failure)}${all.join('\n') || '<p>This gateway has no way to sign in. Ask an administrator of the gateway.</p>'}`)
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
  /** The person for whom the page is made. */
  person: string
  name: string
  code: string
  facts: Readonly<Record<string, string>>
  /** The terminal is in another network than the browser. */
  isElsewhere: boolean
  projects: readonly { id: string; name: string }[]
}

export function confirmPage({ person, name, code, facts, isElsewhere, projects, failure }: Failed & Waiting): string {
  const rows = Object.entries(facts).map(([term, text]) => `<dt>${term}</dt><dd>${escapeHtml(text)}</dd>`)
  const warning = isElsewhere
    ? '<p class="warn">The terminal and this browser have different network addresses. This is normal if the terminal is on a remote machine. Otherwise, deny the sign-in.</p>'
    : ''
  return page(
    `<h1>Allow this agent?</h1>
<p>It can call models in your name, and the project pays.</p>
<dl>${rows.join('')}</dl>${warning}${failed(failure)}${form(
      'decide',
      `<input type="hidden" name="code" value="${escapeHtml(code)}"><input type="hidden" name="person" value="${escapeHtml(person)}">
${projectChoice(projects)}
<button name="decision" value="confirm">Allow</button><button class="plain" name="decision" value="deny" formnovalidate>Deny</button>`,
    )}`,
    name,
  )
}

export function projectChoice(projects: Waiting['projects']): string {
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
  link,
}: {
  title: string
  text: string
  name?: string
  link?: { to: string; text: string }
}): string {
  const button = link ? `<p><a class="button" href="${escapeHtml(link.to)}">${link.text}</a></p>` : ''
  return page(`<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${button}`, name)
}

/** Each goes to the address of the page itself. */
function form(step: string, content: string): string {
  return `<form method="post" action="?"><input type="hidden" name="step" value="${step}">${content}</form>`
}

function failed(failure: string | undefined): string {
  return failure === undefined ? '' : `<p class="bad" role="alert">${escapeHtml(failure)}</p>`
}

function page(content: string, name?: string): string {
  const signOut = form('sign-out', '<button class="link">Sign out</button>')
  const footer = name === undefined ? '' : `<footer>Signed in as ${escapeHtml(name)}. ${signOut}</footer>`
  return plainPage('Sign in · Gatehouse', content + footer)
}
