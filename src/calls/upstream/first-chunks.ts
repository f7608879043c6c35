import type { ChatRequest } from '../../contract/chat.ts'
import type { Order } from '../order.ts'
import type { AnswerChunk } from '../../translation/wire/answer.ts'
import type { ChatDecoder } from '../../translation/dialects/chat-codec.ts'
import type { EventReader } from '../../platform/net/event-reader.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { type WireEvent, WireFailure } from '../../translation/wire/wire.ts'
import type { Observed } from './chat-bill.ts'
import type { SeenOutput } from './abandoned-chat.ts'
import { beginsAnswer } from './has-content.ts'
import { LARGE_CHARS } from '../../translation/json/large-text.ts'
import type { ChatAttempt } from '../routing/chat-targets.ts'

/** Events without content are held back. A provider that sends more of them than this is not going to begin. */
const MAX_CHUNKS_BEFORE = 10_000
const MAX_EVENTS_BEFORE = 100_000
const MAX_CHARS_BEFORE = 16_000_000
const MAX_MALFORMED = 1_000
const NONSENSE = 'the provider sent a stream that consists mostly of something other than events'
const NOT_BEGUN = 'the provider ended its stream before it began'

/** A stream that ended, or went on for too long, without content. */
export class NotBegun extends UpstreamProblem {
  /** How many events it had. */
  readonly events: number
  /** The data of its only event that is an object. */
  readonly only: string | undefined

  constructor(kind: 'garbage' | 'empty', events: number, objects: readonly string[]) {
    super(kind, NOT_BEGUN)
    this.events = events
    this.only = objects.length === 1 ? objects[0] : undefined
  }
}

/** A stream that has begun: its first chunks have arrived, so the target has really answered. */
export type OpenStream = {
  first: AnswerChunk[]
  events: Events
  decoder: ChatDecoder
  /** What it is paid by: one order, or one for each answer. */
  orders: readonly StreamOrder[]
  /** To be called when a part of the answer has come: a stream of nothing but keep-alives has a limit. */
  noteContent?: () => void
}

/** An order that is paid for when its stream has ended. */
type StreamOrder = {
  order: Order
  request: ChatRequest
  /** What was seen of its answer, and whether that has ended, if the stream consists of several. */
  own?: { seen: SeenAnswer; decoder: Pick<ChatDecoder, 'ended'> } | undefined
}

export type SeenAnswer = Observed & { readonly seen: SeenOutput | undefined }

/** Events of one body, in batches as they arrived. */
export type Events = Pick<EventReader, 'next' | 'close'>

/** Reads up to the first chunk with content: some providers answer 200 and send an error as their first event. */
export async function readFirstChunks(
  events: Events,
  decoder: ChatDecoder,
  { call, services }: ChatAttempt,
): Promise<AnswerChunk[]> {
  const first: AnswerChunk[] = []
  let chars = 0
  let count = 0
  const objects: string[] = []
  for (;;) {
    const batch = await events.next()
    if (!batch) throw new NotBegun(decoder.malformed ? 'garbage' : 'empty', count, objects)
    const previousLength = first.length
    count += batch.length
    for (const event of batch) {
      chars += event.data.length
      if (objects.length < 2 && event.data.startsWith('{')) objects.push(event.data)
      for (const chunk of feedUntilEnd(decoder, event)) first.push(chunk)
    }
    if (isLarge(batch)) await services.loopSlot(call.caller.owner)
    // A chunk without choices (such as a filter's verdict on the prompt) is not an answer yet, nor is a role alone.
    if (first.slice(previousLength).some(beginsAnswer)) return first
    refuseGarbage(decoder, first.length)
    const isEndless = first.length > MAX_CHUNKS_BEFORE || count > MAX_EVENTS_BEFORE || chars > MAX_CHARS_BEFORE
    if (decoder.done || isEndless) throw new NotBegun('empty', count, objects)
  }
}

/** Decodes an event. What breaks after the end of an answer takes nothing away from it. */
export function feedUntilEnd(decoder: ChatDecoder, event: WireEvent): AnswerChunk[] {
  try {
    return decoder.feed(event)
  } catch (error) {
    if (decoder.ended && isHarmlessAfterEnd(error)) return []
    throw error
  }
}

/** A broken connection or garbage, in which no part of the answer can be lost once the answer is complete. */
export function isHarmlessAfterEnd(error: unknown): boolean {
  return error instanceof WireFailure || (error instanceof UpstreamProblem && error.kind === 'garbage')
}

/** Whether a batch is so large that processing it further needs a turn of the event loop of its own. */
export function isLarge(batch: readonly WireEvent[]): boolean {
  for (const { data } of batch) if (data.length > LARGE_CHARS) return true
  return false
}

/**
 * Refuses a stream that is mostly garbage, because it takes much CPU to find out that a text is not JSON. Some providers
 * send events that we do not understand; a stream may have as many of them as it has `good` chunks.
 */
export function refuseGarbage({ malformed }: ChatDecoder, good: number): void {
  if (malformed > MAX_MALFORMED + good) throw new UpstreamProblem('garbage', NONSENSE)
}
