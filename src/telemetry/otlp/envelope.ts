import { attribute } from '../semconv.ts'
import { AttributeList } from './span.ts'

/** What the spans and metrics of this process have in common. */
export type Envelope = {
  readonly resource: Readonly<Record<string, string>>
  readonly scope: { readonly name: string; readonly version: string }
  readonly schemaUrl: string
}

/** The body of a request to `/v1/traces`, around encoded spans. */
export function spansRequest(envelope: Envelope, spans: readonly string[]): string {
  return `{"resourceSpans":[${inScope(envelope, 'scopeSpans', `"spans":[${spans.join(',')}]`)}]}`
}

/** The body of a request to `/v1/metrics`, around encoded metrics. */
export function metricsRequest(envelope: Envelope, metrics: readonly string[]): string {
  return `{"resourceMetrics":[${inScope(envelope, 'scopeMetrics', `"metrics":[${metrics.join(',')}]`)}]}`
}

function inScope({ resource, scope, schemaUrl }: Envelope, list: string, content: string): string {
  const attributes = new AttributeList()
  for (const [name, value] of Object.entries(resource)) attributes.add(attribute('string', name), value)
  const schema = JSON.stringify(schemaUrl)
  return (
    `{"resource":{"attributes":[${attributes.text}]}` +
    `,"${list}":[{"scope":${JSON.stringify(scope)},${content},"schemaUrl":${schema}}],"schemaUrl":${schema}}`
  )
}
