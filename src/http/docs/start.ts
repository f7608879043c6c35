import type { OpenApiDocument } from '../openapi/shape.ts'
import { type Html, html, text } from './markup.ts'
import { baseUrl, chatOperation, samples } from './samples.ts'

/** What it is and how to make the first call. */
export function startSection(document: OpenApiDocument): Html {
  const { info } = document
  return html`<section id="start" aria-labelledby="start-title">
<h1 id="start-title">${info.title} API</h1>
<p class="lead">${info.summary}</p>
<p>${text(info.description)}</p>
<p>Base URL: <code class="base">${baseUrl(document)}</code></p>
${chatOperation(document) && samples(document)}
</section>`
}
