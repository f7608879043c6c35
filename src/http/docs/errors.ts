import { row, table } from './elements.ts'
import { type Html, html } from './markup.ts'

export type ProblemRows = Readonly<Record<string, { status: number; type: string; sentence: string }>>

export function errorsSection(problems: ProblemRows): Html {
  const rows = Object.entries(problems).map(([name, { status, type, sentence }]) =>
    row([html`<code id="error-${name}">${name}</code>`, html`<b>${status}</b> <small>${type}</small>`, sentence]),
  )
  return html`<section id="errors" aria-labelledby="errors-title">
<h2 id="errors-title">Errors</h2>
<p>The body of every error is an <a href="#schema-ErrorBody">ErrorBody</a>: <code>error.code</code> is for programs,
<code>error.message</code> for people. The sentence below is the general one; the message often knows more.
What a provider itself refuses, such as a prompt that is too long, comes with the status and code of the provider.</p>
${table(['Code', 'Status and type', 'Message'], rows)}
</section>`
}
