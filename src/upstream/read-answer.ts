import type { WireBody, WireResponse } from '../wire/wire.ts'
import { readHere, readText } from '../net/read-text.ts'
import type { CallStart } from '../calls/call.ts'
import { COPIES_OF_ANSWER, Growth } from '../calls/memory-budget.ts'
import type { AppContext } from '../app/context.ts'

type Turns = Pick<AppContext, 'loopSlot'>

/** Longer answers are made into a text, and then parsed, one at a time. */
export const LARGE_ANSWER_BYTES = 256 * 1024

/** A provider's whole answer as text. While there is no memory for the rest of a long one, its provider waits. */
export async function readAnswer(
  response: WireResponse,
  limitBytes: number,
  call: CallStart,
  turns: Turns,
): Promise<string> {
  const here = readHere(response.body, limitBytes)
  const text = here ?? (await readText(countedBody(response, limitBytes, call, turns), limitBytes))
  if (text.length > LARGE_ANSWER_BYTES) await turns.loopSlot(call.caller.owner)
  return text
}

/** Hands on the same bytes and counts them first. What the reader does with a long body at its end has a turn to itself. */
export async function* countedBody(
  { headers, body }: { headers: WireResponse['headers']; body: WireBody },
  limitBytes: number,
  { memory, signal, caller }: CallStart,
  { loopSlot }: Turns,
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
  if (size > LARGE_ANSWER_BYTES) await loopSlot(caller.owner)
}
