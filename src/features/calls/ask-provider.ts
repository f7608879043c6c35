import type { WireBody, WireResponse } from '../../contract/wire.ts'
import { tryParse } from '../../json/try-parse.ts'
import type { Tools } from '../feature.ts'
import type { Payload } from './payload.ts'
import { refusal } from './refusal.ts'
import { TaskFailure } from './task-failure.ts'

const MAX_ANSWER_BYTES = 256 * 1024 * 1024
const MAX_ERROR_BYTES = 256 * 1024

export type Question = {
  /** What follows the provider's base address. */
  path: string
  payload: Payload
}

/** One question whose answer is JSON. */
export async function askForJson<Reply>(
  tools: Tools,
  question: Question,
  read: (value: unknown) => Reply,
): Promise<Reply> {
  const bytes = await gather((await ask(tools, question)).body, MAX_ANSWER_BYTES)
  return read(tryParse(bytes.toString('utf8')))
}

/** One question whose answer is a file. */
export async function askForBytes(tools: Tools, question: Question): Promise<Uint8Array> {
  const { headers, body } = await ask(tools, question)
  const bytes = await gather(body, MAX_ANSWER_BYTES)
  // An error that came with status 200.
  const isText = /^(text\/|application\/json)/i.test(String(headers['content-type'] ?? ''))
  if (isText || bytes.length === 0)
    throw new TaskFailure('garbage', 'the provider answered with something else than a file')
  return bytes
}

async function ask(tools: Tools, { path, payload }: Question): Promise<WireResponse> {
  const { send, signal, limits, baseUrl, credential } = tools
  const headers: Record<string, string> = { 'content-type': payload.type }
  if (credential) headers.authorization = `Bearer ${credential}`
  const request = { method: 'POST', url: baseUrl + path, headers, body: payload.body } as const
  const response = await send(request, { signal, limits })
  if (response.status >= 200 && response.status < 300) return response
  const text = await gather(response.body, MAX_ERROR_BYTES).catch(() => Buffer.alloc(0))
  throw refusal(response, text.toString('utf8'), tools)
}

/** More than the limit is refused, not gathered. */
async function gather(body: WireBody, limitBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > limitBytes) throw new TaskFailure('garbage', 'the provider answered with more than can be read')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
