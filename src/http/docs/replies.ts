import type { Content, OpenApiDocument, Operation, Reference, Reply } from '../../contract/openapi/document.ts'
import { resolve } from '../../contract/openapi/read-document.ts'
import { code, fold, nestedRow, row, table } from './elements.ts'
import { nestedFields } from './fields.ts'
import { type Html, html, joined, text } from './markup.ts'
import { exampleOf } from './samples.ts'
import { typeCell } from './type-cell.ts'

/**
 * Shows the endpoint's own replies in full, and the codes of the errors that all endpoints share, which the error table
 * explains.
 */
export function replyTable(responses: Operation['responses'], document: OpenApiDocument): Html {
  const own = Object.entries(responses).filter(([, reply]) => !('$ref' in reply)) as [string, Reply][]
  const rows = own.map(([status, reply]) => replyRows(status, reply, document))
  const codes = Object.entries(responses).flatMap(([status, reply]) =>
    '$ref' in reply ? errorLinks(status, resolve(reply as Reply & Reference, document)) : [],
  )
  return html`${table(['Status', 'Body', 'When'], rows)}
${codes.length > 0 && html`<p>The endpoint may also answer with these errors: ${joined(codes, ', ')}.</p>`}`
}

function replyRows(status: string, { description, content = {} }: Reply, document: OpenApiDocument): Html {
  const types = Object.entries(content).map(
    ([type, { schema }]) => html`<div>${schema && typeCell(schema)} <small>${type}</small></div> `,
  )
  const folds = [...(status.startsWith('2') ? foldedFields(content, document) : []), ...foldedExample(content)]
  return html`${row([html`<b>${status}</b>`, types, text(description)])}${folds.length > 0 && nestedRow(folds)}`
}

function foldedFields(content: Content, document: OpenApiDocument): Html[] {
  return Object.values(content).flatMap(({ schema }) => nestedFields(schema ?? {}, document, [], ''))
}

function foldedExample(content: Content): Html[] {
  const example = exampleOf(content)
  return Object.keys(example).length > 0 ? [fold('Example', code('', JSON.stringify(example, null, 2)))] : []
}

function errorLinks(status: string, { content = {} }: Reply): Html[] {
  const codes = Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples))
  return codes.map((name) => html`${status} <a href="#error-${name}">${name}</a>`)
}
