import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { png } from '../../src/base/sniff/fixtures/small-files.ts'

/** A request as it arrived, with its raw bytes, because forms contain images. */
export type SeenImageRequest = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  bytes: Buffer
  gone: Promise<void>
}
type ImageBehaviour = (seen: SeenImageRequest, response: ServerResponse) => void

export type FakeImages = {
  /** The base URL of the API. An image is at `<origin>/picture.png`. */
  url: string
  imageUrl: string
  requests: SeenImageRequest[]
  /** Resolves with the next request that arrives. */
  arrival(): Promise<SeenImageRequest>
  next(behaviour: ImageBehaviour): void
  /** The behaviour for requests without a queued one. */
  always(behaviour: ImageBehaviour): void
  reset(): void
  close(): Promise<void>
}

export const PNG_IMAGE = png(64, 32)
export const USAGE = {
  input_tokens: 50,
  output_tokens: 1_000,
  total_tokens: 1_050,
  input_tokens_details: { text_tokens: 10, image_tokens: 40 },
}

/** A real server that speaks OpenAI's image format and serves an image. */
export async function startFakeImages(): Promise<FakeImages> {
  const requests: SeenImageRequest[] = []
  const queue: ImageBehaviour[] = []
  let standing = drawn()
  let waiting = Promise.withResolvers<SeenImageRequest>()
  const server = createServer(async (request, response) => {
    if (request.url === '/picture.png')
      return void response.writeHead(200, { 'content-type': 'image/png' }).end(PNG_IMAGE)
    const seen = await read(request, response)
    requests.push(seen)
    waiting.resolve(seen)
    waiting = Promise.withResolvers()
    const behave = queue.shift() ?? standing
    behave(seen, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/v1`,
    imageUrl: `${origin}/picture.png`,
    requests,
    arrival: () => waiting.promise,
    next: (behaviour) => void queue.push(behaviour),
    always: (behaviour) => {
      standing = behaviour
    },
    reset: () => {
      standing = drawn()
      requests.length = 0
      queue.length = 0
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

/** Answers with as many images as were requested, in base64, with usage; as events if they were requested. */
export function drawn(more: object = {}): ImageBehaviour {
  return async (seen, response) => {
    const fields = await fieldsOf(seen)
    const refusal = refusalOf(fields)
    if (refusal) return json({ error: { message: refusal, type: 'invalid_request_error' } }, 400)(seen, response)
    if (String(fields.stream) === 'true')
      return events(imageEvents(seen, Number(fields.partial_images ?? 0)))(seen, response)
    const n = Number(fields.n ?? 1)
    const data = Array.from({ length: n }, () => ({ b64_json: PNG_IMAGE.toString('base64') }))
    json({ created: 1_700_000_000, data, usage: USAGE, ...more })(seen, response)
  }
}

/** What OpenAI refuses of a stream. */
function refusalOf({ model, n = 1, stream, partial_images = 0 }: Record<string, unknown>): string | undefined {
  const partial = Number(partial_images)
  if (!Number.isInteger(partial) || partial < 0 || partial > 3) return 'partial_images must be between 0 and 3.'
  if (String(stream) !== 'true') return undefined
  if (!/^(chat)?gpt-image/.test(String(model))) return `Streaming is not supported with ${model}.`
  return Number(n) === 1 ? undefined : 'Streaming is only supported with n=1.'
}

/** The events of one image. */
export function imageEvents(
  { path }: Pick<SeenImageRequest, 'path'>,
  partialImages: number,
  image = PNG_IMAGE,
): object[] {
  const name = path.endsWith('/edits') ? 'image_edit' : 'image_generation'
  const b64_json = image.toString('base64')
  const about = { created_at: 1_700_000_000, size: '64x32', quality: 'low', background: 'opaque', output_format: 'png' }
  const partial = Array.from({ length: partialImages }, (_, partial_image_index) => {
    return { type: `${name}.partial_image`, b64_json, partial_image_index, ...about }
  })
  return [...partial, { type: `${name}.completed`, b64_json, ...about, usage: USAGE }]
}

/** Sends these events, and then ends the body, breaks the connection, or leaves it open. */
export function events(
  list: readonly object[],
  then: 'end' | 'break' | 'wait' = 'end',
  pieceBytes?: number,
): ImageBehaviour {
  return async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const text = list
      .map((event) => `event: ${(event as { type?: string }).type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join('')
    const size = pieceBytes ?? text.length
    for (let at = 0; at < text.length; at += size)
      await new Promise<void>((resolve) => response.write(text.slice(at, at + size), () => resolve()))
    if (then === 'end') response.end()
    if (then === 'break') response.destroy()
  }
}

export function json(body: object, status = 200): ImageBehaviour {
  return (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Never answers. */
export function nothing(): ImageBehaviour {
  return () => undefined
}

export async function formOf({ bytes, headers }: SeenImageRequest): Promise<FormData> {
  const type = String(headers['content-type'])
  return (await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData()) as FormData
}

async function fieldsOf(seen: SeenImageRequest): Promise<Record<string, unknown>> {
  const isForm = seen.headers['content-type']?.startsWith('multipart/')
  return isForm ? Object.fromEntries(await formOf(seen)) : JSON.parse(String(seen.bytes))
}

async function read(request: IncomingMessage, response: ServerResponse): Promise<SeenImageRequest> {
  const gone = new Promise<void>((resolve) => response.once('close', resolve))
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    bytes: await buffer(request),
    gone,
  }
}
