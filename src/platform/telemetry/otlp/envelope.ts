import { attribute } from '../semconv.ts'
import { AttributeList } from './span.ts'

/** What the spans and metrics of this process have in common. */
export type Envelope = {
  readonly resource: Readonly<Record<string, string>>
  readonly scope: { readonly name: string; readonly version: string }
  readonly schemaUrl: string
}

/** The texts before and after the spans or metrics of a request, which are the same in every request. */
export type Around = { readonly before: string; readonly after: string }

/** Around encoded spans, in a request to `/v1/traces`. */
export function aroundSpans(envelope: Envelope): Around {
  return around(envelope, '{"resourceSpans":[', '"scopeSpans":[', '"spans":[')
}

/** Around encoded metrics, in a request to `/v1/metrics`. */
export function aroundMetrics(envelope: Envelope): Around {
  return around(envelope, '{"resourceMetrics":[', '"scopeMetrics":[', '"metrics":[')
}

function around({ resource, scope, schemaUrl }: Envelope, resources: string, scopes: string, content: string): Around {
  const attributes = new AttributeList()
  for (const [name, value] of Object.entries(resource)) attributes.add(attribute('string', name), value)
  const schema = JSON.stringify(schemaUrl)
  return {
    before: `${resources}{"resource":{"attributes":[${attributes.text}]},${scopes}{"scope":${JSON.stringify(scope)},${content}`,
    after: `],"schemaUrl":${schema}}],"schemaUrl":${schema}}]}`,
  }
}
