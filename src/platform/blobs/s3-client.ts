import { setTimeout as sleep } from 'node:timers/promises'
import { ByteQueue } from '../../base/bytes/byte-queue.ts'
import { GATEWAY_OWNER, type Send, WireFailure, type WireResponse } from '../../translation/wire/wire.ts'
import type { ByteRange } from './blob-store.ts'
import type { S3Location } from './s3-location.ts'
import { type AwsCredentials, presignUrl, type SigningScope, sha256Hex, signRequest } from '../net/sigv4.ts'
import { storageProblem } from './storage-problem.ts'

const HEADERS_MS = 60_000
const IDLE_MS = 30_000
const ATTEMPTS = 3
const FIRST_PAUSE_MS = 100
const MAX_ANSWER_BYTES = 64 * 1024
const PASSING_STATUSES = [429, 500, 502, 503, 504]

/** Keys of an identity are short-lived, and asked for whenever they are needed. */
export type S3Credentials = AwsCredentials | (() => Promise<AwsCredentials>)

export type S3Settings = {
  location: S3Location
  credentials: S3Credentials
  send: Send
  now?: () => Date
}

type S3Call = {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  id: string
  query?: Record<string, string | number>
  range?: ByteRange | undefined
  body?: Uint8Array | string
  owner?: string
}

/** The storage's complete answer. */
type S3Answer = { status: number; etag: string | undefined; text: string }

/** Makes signed calls to one bucket. Transient failures are retried; a failure that remains becomes a problem. */
export class S3Client {
  readonly #settings: S3Settings

  constructor(settings: S3Settings) {
    this.#settings = settings
  }

  /** For calls with a short answer. Any status that is not expected is a problem. */
  async call(call: S3Call, ...expected: number[]): Promise<S3Answer> {
    const response = await this.open(call)
    const text = await reachable(() => readShort(response.body))
    // Amazon may send a 200 while it still works on a call, and then report a failure in the body.
    const failed = !expected.includes(response.status) || /^(<\?xml[^>]*>)?\s*<Error>/.test(text)
    if (failed) throw refusal(response.status, text)
    return { status: response.status, etag: one(response.headers.etag), text }
  }

  /** For answers that are streamed. The caller reads or cancels the body. */
  async open(call: S3Call): Promise<WireResponse> {
    for (let attempt = 1; ; attempt++) {
      const last = attempt === ATTEMPTS
      const response = await this.#send(call).catch((error: unknown) => {
        // A POST without an answer may have been carried out, and repeating it would have another effect.
        if (last || call.method === 'POST' || !(error instanceof WireFailure)) throw unreachable(error)
      })
      if (response && (last || !PASSING_STATUSES.includes(response.status))) return response
      if (response) await reachable(() => readShort(response.body))
      await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random()))
    }
  }

  async signedUrl(id: string, seconds: number): Promise<string> {
    return presignUrl({ method: 'GET', url: this.#settings.location.urlOf(id) }, await this.#scope(), seconds)
  }

  async #send({ method, id, query = {}, range, body = '', owner = GATEWAY_OWNER }: S3Call): Promise<WireResponse> {
    const fields = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    const url = this.#settings.location.urlOf(id) + (fields.length > 0 ? `?${fields.join('&')}` : '')
    const input: Record<string, string> = range ? { range: `bytes=${range.start}-${range.end}` } : {}
    const headers = signRequest({ method, url, headers: input, payloadHash: sha256Hex(body) }, await this.#scope())
    const options = {
      signal: new AbortController().signal,
      timeouts: { headersMs: HEADERS_MS, idleMs: IDLE_MS },
      owner,
    }
    return this.#settings.send({ method, url, headers, body: body.length > 0 ? body : null }, options)
  }

  async #scope(): Promise<SigningScope> {
    const { location, credentials: source, now = () => new Date() } = this.#settings
    const credentials = typeof source === 'function' ? await source().catch(noKeys) : source
    return { credentials, region: location.region, service: 's3', now: now() }
  }
}

/** The reason is in the log of the process, where the identity was fetched for the first time. */
function noKeys(): never {
  throw storageProblem('The gateway has no keys for its file storage now. Try again shortly.')
}

export async function reachable<Value>(step: () => Promise<Value>): Promise<Value> {
  try {
    return await step()
  } catch (error) {
    throw unreachable(error)
  }
}

/** Only the code of the error is passed on: its message may name the bucket or the key. */
export function refusal(status: number, text: string) {
  const code = /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(text)?.[1] ?? `status ${status}`
  return storageProblem(`The file storage of this gateway refused (${code}). Try again shortly.`)
}

export async function readShort(body: AsyncIterable<Uint8Array>): Promise<string> {
  const buffered = new ByteQueue()
  for await (const chunk of body) {
    if (buffered.length + chunk.length > MAX_ANSWER_BYTES) break
    buffered.push(chunk)
  }
  return buffered.takeAll().toString('utf8')
}

export function unreachable(error: unknown): unknown {
  if (!(error instanceof WireFailure)) return error
  return storageProblem('The file storage of this gateway does not answer. Try again shortly.')
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
