import type { CollectorAddress } from '../../platform/config/telemetry/telemetry.ts'
import type { Trust } from '../../platform/net/http1/dialer.ts'
import type { Http2Client } from '../../platform/net/http2/http2-client.ts'
import type { Upstream } from '../../platform/net/upstream.ts'
import type { Transport } from '../../platform/telemetry/otlp/collector.ts'
import type { Signal } from '../../platform/telemetry/otlp/exporter.ts'
import type { OtlpFormat } from '../../platform/telemetry/otlp/format.ts'
import { overGrpc } from '../../platform/telemetry/otlp/grpc-transport.ts'
import { type HttpAnswer, type HttpRequest, overHttp } from '../../platform/telemetry/otlp/http-transport.ts'
import { JSON_FORMAT } from '../../platform/telemetry/otlp/json-format.ts'
import { PROTOBUF_FORMAT } from '../../platform/telemetry/otlp/protobuf-format.ts'
import { DAY_MS } from '../../base/units/units.ts'
import { readRetryAfter } from '../../translation/wire/retry-after.ts'
import { GATEWAY_OWNER } from '../../translation/wire/wire.ts'
import { ByteQueue, joined } from '../../base/bytes/byte-queue.ts'

const MAX_ANSWER_BYTES = 64 * 1024
/** The signal ends a request earlier. */
const MAX_WAIT_MS = DAY_MS

/** The ways out of the process. */
export type CollectorNetwork = {
  readonly upstream: Pick<Upstream, 'send'>
  openTrusting(trust: Trust): Upstream
  openHttp2(origin: string, trust: Trust | undefined): Promise<Pick<Http2Client, 'request' | 'close'>>
}

export type OpenTransport = {
  readonly format: OtlpFormat
  readonly transport: Transport
  readonly compression: 'gzip' | 'none'
  close(): Promise<void>
}

type Needs = { network: CollectorNetwork; now(): number }

/** How one signal goes to its collector. */
export async function openTransport(signal: Signal, address: CollectorAddress, needs: Needs): Promise<OpenTransport> {
  const { protocol, compression } = address
  if (protocol === 'grpc') return { compression, ...(await openGrpc(signal, address, needs)) }
  const format = protocol === 'http/json' ? JSON_FORMAT : PROTOBUF_FORMAT
  return { compression, format, ...openHttp(address, format, needs) }
}

async function openGrpc(signal: Signal, address: CollectorAddress, { network }: Needs) {
  const client = await network.openHttp2(address.url, address.tls)
  const format = PROTOBUF_FORMAT
  const transport = overGrpc(signal, address, {
    format,
    post: (request, timeoutMs, ended) => client.request(request, orTooLate(ended, timeoutMs)),
  })
  return { format, transport, close: async () => client.close() }
}

/** Goes out as requests to providers do: through the operator's proxies, with the strict client. */
function openHttp(address: CollectorAddress, format: OtlpFormat, { network, now }: Needs) {
  const own = address.tls && network.openTrusting(address.tls)
  const { send } = own ?? network.upstream
  const transport = overHttp(address, format, (request, timeoutMs, ended) => post(request, orTooLate(ended, timeoutMs)))
  return { transport, close: async () => await own?.close() }

  async function post(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const timeouts = { headersMs: MAX_WAIT_MS, idleMs: MAX_WAIT_MS }
    const response = await send({ ...request, method: 'POST' }, { signal, timeouts, owner: GATEWAY_OWNER })
    const body = await readBytes(response.body).catch(() => new Uint8Array())
    return { status: response.status, retryAfterSeconds: readRetryAfter(response, now()), body }
  }
}

function orTooLate(signal: AbortSignal, timeoutMs: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
}

async function readBytes(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces = new ByteQueue()
  for await (const piece of body) {
    pieces.push(piece)
    if (pieces.length > MAX_ANSWER_BYTES) return new Uint8Array()
  }
  return joined(pieces.takePieces())
}
