import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { refusalOf, type ServerKeys } from './s3-signature.ts'
import { MB } from '../../src/base/units/units.ts'

/** A storage server that speaks the S3 protocol: objects, ranges, multipart uploads, presigned URLs. */
export type FakeS3 = {
  /** For `endpoint=` in a BLOB_URL. */
  endpoint: string
  keys: ServerKeys
  /** By path, `/bucket/prefix/id`. */
  objects: Map<string, Buffer>
  /** Multipart uploads that are neither complete nor aborted. */
  uploads: Map<string, Upload>
  /** `PUT /bucket/id?partNumber=…`, in the order of arrival. */
  calls: string[]
  /** The next matching calls fail in this way: with an error, or with a broken connection. */
  failNext(call: RegExp, issue: Failure, times?: number): void
  close(): Promise<void>
}

/**
 * `answered`: the storage carries out the call, and then the connection breaks. `hidden`: an error in the body of a 200.
 */
type Failure = { status: number; code: string } | 'broken' | 'answered' | 'hidden'

type Upload = { path: string; parts: Map<number, Buffer> }
type Answer = { status: number; body?: string | Buffer; headers?: Record<string, string> }
type Pending = { call: RegExp; issue: Failure; times: number }

const AMAZONS_MIN_PART_BYTES = 5 * MB

const KEYS: ServerKeys = {
  accessKeyId: 'AKIAFAKEFAKEFAKEFAKE',
  secretAccessKey: 'secret/of+the/fake',
  region: 'eu-central-1',
}

export async function startS3({ keys = KEYS, minPartBytes = AMAZONS_MIN_PART_BYTES } = {}): Promise<FakeS3> {
  const pending: Pending[] = []
  const state = { keys, objects: new Map(), uploads: new Map(), calls: [] as string[], minPartBytes }
  const server = createServer(async (request, response) => {
    const body = await readBody(request).catch(() => undefined)
    if (body) respond(request, response, body, state, takeFailure(pending, request))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    ...state,
    endpoint: `http://127.0.0.1:${port}`,
    failNext: (call, issue, times = 1) => pending.push({ call, issue, times }),
    close: async () => {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}

type State = Pick<FakeS3, 'keys' | 'objects' | 'uploads' | 'calls'> & { minPartBytes: number }

function respond(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  state: State,
  issue: Failure | undefined,
) {
  state.calls.push(`${request.method} ${request.url}`)
  if (issue === 'broken') return request.socket.destroy()
  if (issue === 'hidden') return send(response, { ...failure(200, 'InternalError') })
  if (typeof issue === 'object') return send(response, failure(issue.status, issue.code))
  const refused = refusalOf(request, body, state.keys, new Date())
  const answer = refused ? failure(403, refused) : act(request, body, state)
  if (issue === 'answered') return request.socket.destroy()
  send(response, answer)
}

function act(request: IncomingMessage, body: Buffer, state: State): Answer {
  const url = new URL(request.url ?? '', 'http://fake')
  const uploadId = url.searchParams.get('uploadId')
  if (request.method === 'POST' && url.searchParams.has('uploads')) return begin(url.pathname, state)
  if (uploadId !== null) return actOnUpload(request, uploadId, Number(url.searchParams.get('partNumber')), body, state)
  if (request.method === 'PUT') return put(url.pathname, body, state)
  if (request.method === 'GET') return get(url.pathname, request.headers.range, state)
  state.objects.delete(url.pathname)
  return { status: 204 }
}

function begin(path: string, { uploads }: State): Answer {
  const uploadId = `${randomUUID()}+/=`
  uploads.set(uploadId, { path, parts: new Map() })
  const body = `<InitiateMultipartUploadResult><UploadId>${uploadId}</UploadId></InitiateMultipartUploadResult>`
  return { status: 200, body }
}

function actOnUpload({ method }: IncomingMessage, uploadId: string, part: number, body: Buffer, state: State): Answer {
  const upload = state.uploads.get(uploadId)
  if (!upload) return failure(404, 'NoSuchUpload')
  if (method === 'PUT') {
    upload.parts.set(part, body)
    return { status: 200, headers: { etag: etagOf(body) } }
  }
  if (method === 'POST') return complete(uploadId, upload, body.toString(), state)
  state.uploads.delete(uploadId)
  return { status: 204 }
}

function complete(uploadId: string, { path, parts }: Upload, document: string, state: State): Answer {
  const named = [...document.matchAll(/<Part><PartNumber>(\d+)<\/PartNumber><ETag>([^<]+)<\/ETag><\/Part>/g)]
  const bodies = named.map(([, number]) => parts.get(Number(number)) ?? Buffer.alloc(0))
  const inOrder = named.every(([, number], index) => Number(number) === index + 1)
  if (named.length === 0) return failure(400, 'MalformedXML')
  if (!inOrder) return failure(400, 'InvalidPartOrder')
  if (named.some(([, , etag], index) => etag !== etagOf(bodies[index]!))) return failure(400, 'InvalidPart')
  if (bodies.slice(0, -1).some(({ length }) => length < state.minPartBytes)) return failure(400, 'EntityTooSmall')
  state.uploads.delete(uploadId)
  state.objects.set(path, Buffer.concat(bodies))
  return { status: 200, body: '<CompleteMultipartUploadResult><ETag>"x"</ETag></CompleteMultipartUploadResult>' }
}

function put(path: string, body: Buffer, { objects }: State): Answer {
  objects.set(path, body)
  return { status: 200, headers: { etag: etagOf(body) } }
}

function get(path: string, range: string | undefined, { objects }: State): Answer {
  const body = objects.get(path)
  if (!body) return failure(404, 'NoSuchKey')
  if (!range) return { status: 200, body }
  const [start = 0, end = 0] = /^bytes=(\d+)-(\d+)$/.exec(range)?.slice(1).map(Number) ?? []
  return start >= body.length ? failure(416, 'InvalidRange') : { status: 206, body: body.subarray(start, end + 1) }
}

/** As verbose as the real one: it names what our callers must never see. */
function failure(status: number, code: string): Answer {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>Key ${KEYS.accessKeyId}</Message></Error>`
  return { status, body, headers: { 'content-type': 'application/xml' } }
}

function send(response: ServerResponse, { status, body = '', headers = {} }: Answer): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}

function takeFailure(pending: Pending[], { method, url }: IncomingMessage): Failure | undefined {
  const next = pending.find(({ call, times }) => times > 0 && call.test(`${method} ${url}`))
  if (next) next.times--
  return next?.issue
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function etagOf(body: Buffer): string {
  return `"${createHash('md5').update(body).digest('hex')}"`
}
