import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { checkOtlp, decodeOtlp, encodeAnswer } from './otlp-decoder.ts'

// A collector that speaks OTLP over HTTP on a real port, in JSON and in protobuf, and fails as a test wants it to.

type Value = { stringValue?: string; intValue?: string; doubleValue?: number; boolValue?: boolean; arrayValue?: List }
type List = { values: Value[] }
type Pair = { key: string; value: Value }

export type SeenSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  traceState?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  status: { code?: number; message?: string }
  links?: { traceId: string; spanId: string }[]
  attributes: Record<string, unknown>
}
type SeenPoint = {
  attributes: Record<string, unknown>
  asDouble?: number
  count?: string
  sum?: number
} & Record<string, unknown>
export type SeenMetric = { name: string; unit: string; points: SeenPoint[]; kind: 'sum' | 'gauge' | 'histogram' }
type SeenExport = { path: string; headers: IncomingHttpHeaders; bytes: Buffer; body: Record<string, unknown> }

type Behaviour = (response: ServerResponse) => void

export type FakeCollector = Awaited<ReturnType<typeof startCollector>>

const JSON_TYPE = 'application/json'
const PROTOBUF_TYPE = 'application/x-protobuf'

export async function startCollector(certificate?: { cert: string; key: string; ca?: string }) {
  const seen = seenExports<Behaviour>()
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { headers, url: path = '' } = request
    const bytes = await buffer(request).catch(() => undefined)
    if (!bytes) return
    const type = headers['content-type']
    if (type !== JSON_TYPE && type !== PROTOBUF_TYPE) return void response.writeHead(415).end()
    const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
    const body = type === JSON_TYPE ? JSON.parse(plain.toString()) : decodeOtlp(path, plain)
    const behaviour = seen.next({ path, headers, bytes, body })
    if (behaviour) behaviour(response)
    else response.setHeader('content-type', type).end(type === JSON_TYPE ? '{"partialSuccess":{}}' : encodeAnswer(path))
    seen.look()
  }
  const server = certificate
    ? createSecureServer({ ...certificate, requestCert: Boolean(certificate.ca) }, answer)
    : createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: certificate ? `https://localhost:${port}` : `http://127.0.0.1:${port}`,
    ...seen.collector,
    close: () => {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

/** What a collector has seen, and how it answers next. */
export function seenExports<B>() {
  const exports: SeenExport[] = []
  const behaviours: B[] = []
  const waiting = new Set<() => void>()
  const spans = () => exports.flatMap(({ body }) => spansIn(body))
  const collector = {
    exports,
    spans,
    metrics: () => exports.flatMap(({ body }) => metricsIn(body)),
    /** How the next exports are answered, in this order. */
    next: (...some: B[]) => behaviours.push(...some),
    /** Resolves as soon as the collector has seen something that fits. */
    until: <T>(find: () => T | undefined | false): Promise<T> =>
      new Promise((resolve) => {
        const look = () => {
          const found = find()
          if (!found) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
    /** Every export is what the published schema says. */
    check: () => {
      for (const { path, body } of exports) checkOtlp(path, body)
    },
    reset: () => {
      exports.length = 0
      behaviours.length = 0
    },
  }
  return {
    collector,
    next: (one: SeenExport): B | undefined => {
      exports.push(one)
      return behaviours.shift()
    },
    look: () => {
      for (const look of waiting) look()
    },
  }
}

export function refuse(
  status: number,
  headers: Record<string, string> = {},
  body: string | Uint8Array = '',
): Behaviour {
  return (response) => void response.writeHead(status, headers).end(body)
}

/** Takes the request and never answers. */
export function staySilent(): Behaviour {
  return () => {}
}

function spansIn(body: Record<string, unknown>): SeenSpan[] {
  type Spans = { scopeSpans: { spans: (Omit<SeenSpan, 'attributes'> & { attributes: Pair[] })[] }[] }[]
  const resources = (body.resourceSpans ?? []) as Spans
  const spans = resources.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
  return spans.map((span) => ({ ...span, attributes: valuesOf(span.attributes) }))
}

function metricsIn(body: Record<string, unknown>): SeenMetric[] {
  type Points = { dataPoints: (Omit<SeenPoint, 'attributes'> & { attributes: Pair[] })[] }
  type Metric = { name: string; unit: string } & { [Kind in SeenMetric['kind']]?: Points }
  const resources = (body.resourceMetrics ?? []) as { scopeMetrics: { metrics: Metric[] }[] }[]
  const metrics = resources.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
  return metrics.map(({ name, unit, ...data }) => {
    const [kind, { dataPoints }] = Object.entries(data).find(([key]) => /^(?:sum|gauge|histogram)$/.test(key)) as [
      SeenMetric['kind'],
      Points,
    ]
    const points = dataPoints.map((point) => ({ ...point, attributes: valuesOf(point.attributes) })) as SeenPoint[]
    return { name, unit, kind, points }
  })
}

function valuesOf(pairs: readonly Pair[] = []): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)]))
}

function plain({ stringValue, intValue, doubleValue, boolValue, arrayValue }: Value): unknown {
  if (arrayValue) return arrayValue.values.map(plain)
  return stringValue ?? boolValue ?? doubleValue ?? Number(intValue)
}
