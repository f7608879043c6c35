import type { ChatRequest } from '../contract/chat.ts'
import type { ChatChunk, Usage } from '../contract/chat-reply.ts'
import { type WireEvent, WireFailure } from '../contract/wire.ts'
import { UpstreamProblem } from '../contract/upstream-problem.ts'
import type { OpenStream } from './ask.ts'
import { type Call, closeCall, failCall, metadataOf } from './call.ts'
import { isFailure, toProblem } from './failures.ts'
import type { Outside } from './outside.ts'
import type { ChatTarget } from './route.ts'
import { charsOfMessage, settle } from './settle.ts'

/** After its last event a provider gets this long to close; then its socket is given up instead of reused. */
const CLOSING_MS = 1_000

/** What is learnt from the chunks as they pass. */
type Tally = {
  usage: Usage | undefined
  serviceTier: string | null | undefined
  chars: number
  /** The first chunk that was passed on: all others share its id and time. */
  head: ChatChunk | undefined
}

/**
 * Passes the chunks on, one batch per network read. Ends normally only when the reply is complete: a stream that stops
 * without a finish reason throws, so that nobody takes half an answer for a whole one. Writes the ledger line however it ends.
 */
export async function* relay(
  stream: OpenStream,
  target: ChatTarget,
  request: ChatRequest,
  call: Call,
  outside: Outside,
): AsyncGenerator<ChatChunk[]> {
  const tally: Tally = { usage: undefined, serviceTier: undefined, chars: 0, head: undefined }
  try {
    yield introduce(stream.first, target, tally, call, outside)
    while (!stream.decoder.done) {
      const batch = await stream.events.next().catch((error) => endOr(error, stream))
      if (!batch) break
      const chunks = decodeBatch(batch, stream, target, tally)
      if (chunks.length > 0) yield chunks
    }
    if (!stream.decoder.ended) throw new UpstreamProblem('cut', 'the provider broke off before its answer was complete')
    settle(call, target, request, tally)
    if (request.stream_options?.include_usage) yield [usageChunk(target, tally, call)]
  } catch (error) {
    throw failCall(call, isFailure(error) ? toProblem(error, target) : error)
  } finally {
    if (!call.tokens) settle(call, target, request, tally)
    // The reader left while we waited at a yield: no error passed through here, but the answer was not delivered.
    if (call.signal.aborted && call.status === 200) failCall(call, call.signal.reason)
    release(stream)
    closeCall(call, outside)
  }
}

function introduce(chunks: ChatChunk[], target: ChatTarget, tally: Tally, call: Call, outside: Outside): ChatChunk[] {
  for (const chunk of chunks) {
    chunk.id ||= `chatcmpl-${call.id}`
    chunk.created ||= Math.floor(outside.now() / 1000)
  }
  const first = chunks.filter((chunk) => tidy(chunk, target, tally))
  if (first[0]) first[0].provider = target.provider.id
  if (first[0] && call.wantsMetadata) first[0].gatehouse = metadataOf(call, outside)
  return first
}

function decodeBatch(batch: WireEvent[], { decoder }: OpenStream, target: ChatTarget, tally: Tally): ChatChunk[] {
  const chunks: ChatChunk[] = []
  for (const event of batch) {
    for (const chunk of decoder.feed(event)) if (tidy(chunk, target, tally)) chunks.push(chunk)
  }
  return chunks
}

/**
 * Usage leaves the chunks: providers send it on one, on some or on all of them; our caller gets it once, at the end, and
 * only when asked for. A chunk without choices says nothing then, and naive clients stumble over it.
 */
function tidy(chunk: ChatChunk, target: ChatTarget, tally: Tally): boolean {
  if (chunk.usage) tally.usage = chunk.usage
  if (chunk.service_tier) tally.serviceTier = chunk.service_tier
  if (chunk.usage !== undefined) chunk.usage = undefined
  if (chunk.choices.length === 0) return false
  tally.head ??= chunk
  chunk.id = tally.head.id
  chunk.created = tally.head.created
  chunk.object = 'chat.completion.chunk'
  chunk.model = target.id
  for (const { delta } of chunk.choices) if (delta) tally.chars += charsOfMessage(delta)
  return true
}

/** A provider that has said everything may then break the line; that takes nothing away from the answer. */
function endOr(error: unknown, { decoder }: OpenStream): undefined {
  if (!decoder.ended || !(error instanceof WireFailure)) throw error
}

function usageChunk(target: ChatTarget, { usage, head }: Tally, call: Call): ChatChunk {
  const { id, created, system_fingerprint } = head!
  return {
    id,
    object: 'chat.completion.chunk',
    created,
    model: target.id,
    ...(system_fingerprint && { system_fingerprint }),
    choices: [],
    usage: call.usageEstimate ?? usage,
    cost: call.estimated ? null : call.cost,
    provider: target.provider.id,
  }
}

/** A socket goes back to the pool when its answer was read to the end. After the last event that end is as good as here. */
function release({ decoder, events }: OpenStream): void {
  if (!decoder.done) return events.close()
  const timer = setTimeout(() => events.close(), CLOSING_MS)
  events
    .next()
    .catch(() => undefined)
    .finally(() => {
      clearTimeout(timer)
      // It may have gone on talking: only a body that ended has given its socket back.
      events.close()
    })
}
