import type { WireBody, WireResponse } from '../../translation/wire/wire.ts'
import { readHere, readText } from '../../platform/net/read-text.ts'
import type { CallFacts } from '../call.ts'
import { COPIES_OF_ANSWER, MemoryGrowth } from '../memory-budget.ts'
import type { CallServices } from '../services/call-services.ts'
import { LARGE_CHARS } from '../../translation/json/large-text.ts'

type LoopSlots = Pick<CallServices, 'loopSlot'>

/** Reads a provider's whole answer as text. If there is no memory for the rest of a long answer, the provider has to wait. */
export async function readAnswer(
  response: WireResponse,
  limitBytes: number,
  call: CallFacts,
  turns: LoopSlots,
): Promise<string> {
  const here = readHere(response.body, limitBytes)
  const text = here ?? (await readText(countedBody(response, limitBytes, call, turns), limitBytes))
  if (text.length > LARGE_CHARS) await turns.loopSlot(call.caller.owner)
  return text
}

/** Counts the bytes before passing them on. After a long body, the reader gets a turn of the event loop of its own. */
export async function* countedBody(
  { headers, body }: { headers: WireResponse['headers']; body: WireBody },
  limitBytes: number,
  { memory, signal, caller }: CallFacts,
  { loopSlot }: LoopSlots,
): AsyncGenerator<Uint8Array> {
  const declared = Math.min(limitBytes, Number(headers['content-length']) || 0)
  const memoryGrowth = new MemoryGrowth(memory, COPIES_OF_ANSWER, signal)
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    const waiting = memoryGrowth.reach(size, declared)
    if (waiting) await waiting
    yield chunk
  }
  if (size > LARGE_CHARS) await loopSlot(caller.owner)
}
