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
<code>error.message</code> is for people. The table has the default messages; an actual message is often more specific.
When a provider rejects a request, for example because a prompt is too long, the error has the status and the code of the provider.</p>
${table(['Code', 'Status and type', 'Message'], rows)}
</section>`
}
