import type { Content, OpenApiDocument, Parameter } from '../../contract/openapi/document.ts'
import { resolve } from '../../contract/openapi/read-document.ts'
import type { Area, Listed } from './contents.ts'
import { code, table } from './elements.ts'
import { fieldRows, fieldTable } from './fields.ts'
import { type Html, html, text } from './markup.ts'
import { replyTable } from './replies.ts'
import { typeCell } from './type-cell.ts'

export function areaSection({ id, name, operations }: Area, document: OpenApiDocument): Html {
  return html`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${name}</h2>
${operations.map((one) => operationArticle(one, document))}
</section>`
}

function operationArticle({ method, path, operation }: Listed, document: OpenApiDocument): Html {
  const { operationId: id, summary, description, security, parameters = [], requestBody, responses } = operation
  return html`<article id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">${summary}</h3>
<p class="endpoint"><code><b class="${method.toLowerCase()}">${method}</b> ${path}</code>
${security?.length === 0 && html`<span class="quiet">needs no key</span>`}</p>
${description && html`<p>${text(description)}</p>`}
${parameters.length > 0 && html`<h4>Parameters</h4>${parameterTable(parameters, document)}`}
${requestBody && html`<h4>Body</h4>${bodyOf(requestBody.content, document)}`}
<h4>Replies</h4>
${replyTable(responses, document)}
</article>`
}

function parameterTable(parameters: Parameter[], document: OpenApiDocument): Html {
  const rows = parameters.map(({ name, in: place, required, description, schema }) => {
    const note = html` <small class="limits">${place} parameter</small>`
    return fieldRows({ name, schema: { ...schema, description }, required, note }, document, [])
  })
  return table(['Name', 'Type', 'Meaning'], rows)
}

function bodyOf(content: Content, document: OpenApiDocument): Html[] {
  return Object.entries(content).map(([type, { schema, example }]) => {
    const { description = '' } = resolve(schema ?? {}, document)
    return html`<p><code>${type}</code>, ${typeCell(schema ?? {})}. ${text(description)}</p>
${example !== undefined && code('Example', JSON.stringify(example, null, 2))}
${schema && fieldTable(schema, document, [])}`
  })
}
