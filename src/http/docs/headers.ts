import type { OpenApiDocument } from '../../contract/openapi/document.ts'
import { row, table } from './elements.ts'
import { type Html, html, text } from './markup.ts'

// Request headers for authentication, and response headers.

type Components = OpenApiDocument['components']

export function authenticationSection(schemes: Components['securitySchemes']): Html {
  return html`<section id="authentication" aria-labelledby="authentication-title">
<h2 id="authentication-title">Authentication</h2>
<p>Send your key with each request, in one of these headers. Endpoints that need no key say so.</p>
<ul>${Object.values(schemes).map(({ description }) => html`<li>${text(description)}</li>`)}</ul>
</section>`
}

export function headersSection(headers: Components['headers']): Html {
  const rows = Object.entries(headers).map(([name, { description }]) =>
    row([html`<code>${name}</code>`, text(description)]),
  )
  return html`<section id="headers" aria-labelledby="headers-title">
<h2 id="headers-title">Response headers</h2>
${table(['Header', 'Meaning'], rows)}
</section>`
}
