import type { Area, Listed } from './areas.ts'
import { type Html, html, type Value } from './markup.ts'

/** What is on the page, as links; narrow windows show the chapters only. */
export function contents(areas: Area[], streams: boolean): Html {
  return html`<nav aria-label="Contents"><ul>
${item('start', 'Start')}${item('authentication', 'Authentication')}
${areas.map(({ id, name, operations }) => item(id, name, html`<ul>${operations.map(operationItem)}</ul>`))}
${streams && item('streaming', 'Streaming')}${item('headers', 'Headers')}
${item('errors', 'Errors')}${item('schemas', 'Schemas')}
</ul></nav>`
}

function item(id: string, name: string, below: Value = ''): Html {
  return html`<li><a href="#${id}">${name}</a>${below}</li>`
}

function operationItem({ method, path, operation }: Listed): Html {
  return html`<li><a href="#${operation.operationId}"><code><b>${method}</b> ${path}</code></a></li>`
}
