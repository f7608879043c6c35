import type { OpenApiDocument } from '../../contract/openapi/document.ts'
import { code } from './elements.ts'
import { type Html, html, text } from './markup.ts'
import { baseUrl, chatOperation, curlSample, javascriptSample, pythonSample } from './samples.ts'

/** Says what the API is, and how to make the first call. */
export function startSection(document: OpenApiDocument): Html {
  const { info } = document
  return html`<section id="start" aria-labelledby="start-title">
<h1 id="start-title">${info.title} API</h1>
<p class="lead">${info.summary}</p>
<p>${text(info.description)}</p>
<p>Base URL: <code class="base">${baseUrl(document)}</code></p>
${chatOperation(document) && firstCall(document)}
</section>`
}

function firstCall(document: OpenApiDocument): Html {
  return html`<h2>First call</h2>
<p>Set the environment variable <code>GATEHOUSE_API_KEY</code> to your key. Each example works as pasted:</p>
${code('With curl', curlSample(document))}
<div class="pair">
${code('With the openai package in JavaScript', javascriptSample(document))}
${code('With the openai package in Python', pythonSample(document))}
</div>`
}
