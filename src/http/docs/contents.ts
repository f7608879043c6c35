import type { OpenApiDocument, Operation } from '../../contract/openapi/document.ts'
import { type Html, html, type Value } from './markup.ts'

export type Listed = { method: string; path: string; operation: Operation }
export type Area = { name: string; id: string; operations: Listed[] }

/** The chapters of the page: one for each tag, with its operations in document order. */
export function areasOf({ tags, paths, webhooks = {} }: OpenApiDocument): Area[] {
  const operations = [...listed(paths), ...listed(webhooks)]
  return tags.map(({ name }) => ({
    name,
    id: `area-${name.toLowerCase().replaceAll(' ', '-')}`,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }))
}

/** The table of contents. Narrow windows show only the chapters. */
export function contents(areas: Area[], streams: boolean, webhooks: boolean): Html {
  return html`<nav aria-label="Contents"><ul>
${item('start', 'Start')}${item('authentication', 'Authentication')}
${areas.map(({ id, name, operations }) => item(id, name, html`<ul>${operations.map(operationItem)}</ul>`))}
${streams && item('streaming', 'Streaming')}${item('headers', 'Headers')}
${webhooks && item('receivers', 'Receiving webhooks')}
${item('errors', 'Errors')}${streams && item('failures', 'Failures')}${item('schemas', 'Schemas')}
</ul></nav>`
}

function item(id: string, name: string, below: Value = ''): Html {
  return html`<li><a href="#${id}">${name}</a>${below}</li>`
}

function operationItem({ method, path, operation }: Listed): Html {
  return html`<li><a href="#${operation.operationId}"><code><b>${method}</b> ${path}</code></a></li>`
}

function listed(paths: OpenApiDocument['paths']): Listed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}
