import type { WireBody, WireResponse } from '../contract/wire.ts'
import { readHere, readText } from '../net/read-text.ts'
import type { Call } from './call.ts'
import { COPIES_OF_ANSWER, Growth } from './memory-budget.ts'

type Reader = Pick<Call, 'memory' | 'signal'>

/** A provider's whole answer as text. While there is no memory for the rest of a long one, its provider waits. */
export async function readAnswer(response: WireResponse, limitBytes: number, reader: Reader): Promise<string> {
  const { body } = response
  return readHere(body, limitBytes) ?? (await readText(countedBody(response, limitBytes, reader), limitBytes))
}

/** The same bytes, counted before they are handed on, for who gathers them. */
export async function* countedBody(
  { headers, body }: { headers: WireResponse['headers']; body: WireBody },
  limitBytes: number,
  { memory, signal }: Reader,
): AsyncGenerator<Uint8Array> {
  const declared = Math.min(limitBytes, Number(headers['content-length']) || 0)
  const growth = new Growth(memory, COPIES_OF_ANSWER, signal)
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    const waiting = growth.reach(size, declared)
    if (waiting) await waiting
    yield chunk
  }
}
