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

/** Answers with as many images as were requested, in base64, with usage. */
export function drawn(more: object = {}): ImageBehaviour {
  return async (seen, response) => {
    const n = Number((await fieldsOf(seen)).n ?? 1)
    const data = Array.from({ length: n }, () => ({ b64_json: PNG_IMAGE.toString('base64') }))
    json({ created: 1_700_000_000, data, usage: USAGE, ...more })(seen, response)
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
