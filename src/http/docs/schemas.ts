import type { OpenApiDocument, Schema } from '../../contract/openapi/document.ts'
import { fold } from './elements.ts'
import { fieldTable } from './fields.ts'
import { type Html, html, text } from './markup.ts'
import { typeCell } from './type-cell.ts'

export function schemasSection(document: OpenApiDocument): Html {
  const schemas = Object.entries(document.components.schemas)
  return html`<section id="schemas" aria-labelledby="schemas-title">
<h2 id="schemas-title">Schemas</h2>
${schemas.map(([title, schema]) => schemaArticle(title, schema, document))}
</section>`
}

/** In this section a type is a link to its own entry and is never expanded, so all types count as already expanded. */
function schemaArticle(title: string, schema: Schema, document: OpenApiDocument): Html {
  const known = Object.keys(document.components.schemas).map((title) => `#/components/schemas/${title}`)
  return html`<article id="schema-${title}" aria-labelledby="schema-${title}-title">
<h3 id="schema-${title}-title">${title}</h3>
<p>${text(schema.description ?? '')} ${schema.additionalProperties === false && 'No other fields are allowed.'}</p>
${schema.properties && fold(`Fields of ${title}`, fieldTable(schema, document, known))}
${!schema.properties && html`<p>${typeCell(schema)}</p>`}
</article>`
}
