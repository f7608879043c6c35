import { ByteQueue } from '../../../base/bytes/byte-queue.ts'
import { type WireBody, WireFailure, type WireResponse } from '../../wire/wire.ts'
import { isNestedTooDeeply } from '../../json/nesting.ts'
import { tryParse } from '../../json/try-parse.ts'
import type { Proof, Tools } from '../feature.ts'
import type { Payload } from './payload.ts'
import { refusal } from './refusal.ts'
import { TaskFailure } from './task-failure.ts'
import { MAX_ERROR_BYTES } from '../../wire/upstream-problem.ts'
import { MB } from '../../../base/units/units.ts'

const MAX_ANSWER_BYTES = 256 * MB

type ProviderRequest = {
  /** The service of the provider, if it has several. */
  service?: string
  /** The path after the address of the provider or its service. */
  path: string
  /** A request without a payload is a GET. */
  payload?: Payload
  /** The method, if it is not POST with a payload and GET without. */
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  headers?: Record<string, string>
  /** A status besides the successful ones that is an answer. */
  alsoAnswers?: number
  /** Where the secret goes, if not where the provider's row says. */
  proof?: Omit<Proof, 'service'>
  /** The provider bills nothing for this request alone. */
  isFree?: boolean
}

type Answer = { headers: WireResponse['headers']; bytes: Buffer }

/** Sends a request whose answer is JSON. */
export async function askForJson<Reply>(
  tools: Tools,
  request: ProviderRequest,
  read: (value: unknown) => Reply,
): Promise<Reply> {
  return read(jsonIn(await askForAnswer(tools, request)))
}

/** Sends a request whose answer is a file. */
export async function askForBytes(tools: Tools, request: ProviderRequest): Promise<Uint8Array> {
  return (await askForFile(tools, request)).bytes
}

/** Like askForBytes, but also returns the type from the headers. */
export async function askForFile(tools: Tools, request: ProviderRequest): Promise<Answer> {
  const { headers, bytes } = await askForAnswer(tools, request)
  // An error with status 200.
  const isText = /^(text\/|application\/json)/i.test(String(headers['content-type'] ?? ''))
  if (isText || bytes.length === 0) throw new TaskFailure('garbage', 'the answer of the provider is not a file')
  return { headers, bytes }
}

/** Sends a request whose answer is in its headers, in its body or in both. */
export async function askForAnswer(tools: Tools, request: ProviderRequest): Promise<Answer> {
  const { headers, body } = await ask(tools, request)
  return { headers, bytes: await readAll(body, MAX_ANSWER_BYTES).catch(cutShort) }
}

/** A connection that breaks inside of an answer differs from one that breaks before it: the provider has done the task. */
function cutShort(error: unknown): never {
  if (!(error instanceof WireFailure) || error.kind !== 'reset') throw error
  throw new TaskFailure('cut', error.message)
}

/** Undefined if it is not JSON. */
export function jsonIn({ bytes }: Answer): unknown {
  const text = bytes.toString('utf8')
  if (isNestedTooDeeply(text)) throw new TaskFailure('garbage', 'the provider sent JSON that is nested too deeply')
  return tryParse(text)
}

async function ask(tools: Tools, request: ProviderRequest): Promise<WireResponse> {
  const { service, path, payload, proof, isFree } = request
  const headers: Record<string, string> = { ...(payload && { 'content-type': payload.type }), ...request.headers }
  const method = request.method ?? (payload ? 'POST' : 'GET')
  const plain = { method, url: tools.address(service) + path, headers, body: payload?.body ?? null }
  const signed = await tools.authorize(plain, { ...proof, ...(service && { service }) })
  const response = await tools.send(signed, { signal: tools.signal, timeouts: tools.timeouts, isFree })
  if ((response.status >= 200 && response.status < 300) || response.status === request.alsoAnswers) return response
  const text = await readAll(response.body, MAX_ERROR_BYTES).catch(() => Buffer.alloc(0))
  throw refusal(response, text.toString('utf8'), tools)
}

/** Fails if the body exceeds the limit, without buffering it. */
async function readAll(body: WireBody, limitBytes: number): Promise<Buffer> {
  const buffered = new ByteQueue()
  for await (const chunk of body) {
    buffered.push(chunk)
    if (buffered.length > limitBytes) throw new TaskFailure('garbage', 'the answer of the provider is too long')
  }
  return buffered.takeAll()
}
