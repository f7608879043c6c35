import type { ChatRequest } from '../contract/chat.ts'
import type { ChatChunk } from '../contract/chat-reply.ts'
import type { ChatCall } from '../dialects/chat-codec.ts'
import { valueBytes } from '../json/value-bytes.ts'
import { askStream, type OpenStream } from '../upstream/ask.ts'
import { tryTarget } from '../attempts/attempt.ts'
import type { Call } from '../calls/call.ts'
import type { AppContext } from '../app/context.ts'
import type { ChatTarget } from '../routing/route.ts'
import { hasContent } from '../upstream/has-content.ts'
import type { Sent } from './stream-usage.ts'

// A stream broke after its first words. Another target may go on only where that is provably safe: it accepts the words
// as the beginning of its own answer, or it begins its own answer with exactly these words.

/** Whoever says so much else before the words that were sent does not begin with them. */
const MAX_BYTES_BEFORE = 16_000_000

export type Resumed = {
  target: ChatTarget
  credential: number
  left: readonly ChatTarget[]
  stream: OpenStream
  overlap: Overlap
}

/** Whether what was sent is a text that somebody could go on from. */
export function canResume(request: ChatRequest, sent: Sent): boolean {
  if (sent.isMoreThanText || sent.text === '') return false
  return (request.n ?? 1) === 1 && !request.logprobs && !request.audio
}

/** The first target that goes on; undefined when none does. Their refusals are nobody's business: the break is the error. */
export async function resume(
  targets: readonly ChatTarget[],
  input: ChatCall,
  sent: Sent,
  call: Call,
  context: AppContext,
): Promise<Resumed | undefined> {
  for (const [index, target] of targets.entries()) {
    for (const way of waysOf(target)) {
      const begun = await beginAgain(way, target, input, sent, call, context)
      if (begun) return { target, left: targets.slice(index + 1), ...begun }
    }
  }
  return undefined
}

type Way = 'prefill' | 'repeat'

/** A model may refuse what its provider's row promises; then it is asked like any other. */
function waysOf({ traits, provider }: ChatTarget): Way[] {
  return (traits?.prefill ?? provider.prefill) ? ['prefill', 'repeat'] : ['repeat']
}

/** Asked once, without waits: the caller has waited already. */
async function beginAgain(
  way: Way,
  target: ChatTarget,
  input: ChatCall,
  sent: Sent,
  call: Call,
  context: AppContext,
): Promise<{ credential: number; stream: OpenStream; overlap: Overlap } | undefined> {
  const overlap = way === 'prefill' ? afterPrefill(sent.text) : new Overlap(sent.text, 'must repeat')
  const request = way === 'prefill' ? withPrefill(input.request, sent.text, target) : input.request
  try {
    await call.files?.readyFor(target)
    const { reply, credential } = await tryTarget(target, false, call, context, async (_, attemptContext) => {
      return pastOverlap(await askStream(target, attemptContext, { request }, call, context), overlap)
    })
    return { credential, stream: reply, overlap }
  } catch (error) {
    if (call.signal.aborted) throw error
    return undefined
  }
}

/** Providers refuse a beginning that ends in blanks, so they are left out, and not sent twice when the model writes them. */
function afterPrefill(text: string): Overlap {
  return new Overlap(text.slice(text.trimEnd().length), 'may repeat')
}

function withPrefill(request: ChatRequest, text: string, { provider }: ChatTarget): ChatRequest {
  const mark = PREFILL_MARKS[provider.id]
  return { ...request, messages: [...request.messages, { role: 'assistant', content: text.trimEnd(), ...mark }] }
}

/** How a provider wants to be told that the last message is a beginning. */
const PREFILL_MARKS: Record<string, object> = { mistral: { prefix: true }, moonshot: { partial: true } }

/** Reads on until the new answer has passed what the caller has already; only then has the target really answered. */
async function pastOverlap(stream: OpenStream, overlap: Overlap): Promise<OpenStream> {
  try {
    return { ...stream, first: await newChunks(stream, overlap) }
  } catch (error) {
    stream.events.close()
    throw error
  }
}

async function newChunks({ first, decoder, events }: OpenStream, overlap: Overlap): Promise<ChatChunk[]> {
  const held: ChatChunk[] = []
  let bytes = 0
  for (let chunks = first; ; ) {
    for (const chunk of chunks) {
      if (!overlap.cut(chunk)) continue
      held.push(chunk)
      bytes += valueBytes(chunk)
    }
    if (overlap.isBroken || bytes > MAX_BYTES_BEFORE) throw new NotTheSame()
    if (overlap.left === 0 || !overlap.isStrict) return held
    const batch = decoder.ended ? undefined : await events.next()
    if (!batch) throw new NotTheSame()
    chunks = batch.flatMap((event) => decoder.feed(event))
  }
}

class NotTheSame extends Error {}

/** The words that a new answer repeats from the old one: they are cut off it. */
export class Overlap {
  #rest: string
  readonly isStrict: boolean
  isBroken = false

  constructor(text: string, rule: 'must repeat' | 'may repeat') {
    this.#rest = text
    this.isStrict = rule === 'must repeat'
  }

  get left(): number {
    return this.#rest.length
  }

  /** False: nothing of the chunk is new. The role was sent long ago, and thoughts before old words are old too. */
  cut(chunk: ChatChunk): boolean {
    for (const choice of chunk.choices) {
      const { role: _, ...delta } = choice.delta ?? {}
      choice.delta = this.left > 0 && this.isStrict ? { ...delta, reasoning_content: undefined } : delta
      if (typeof delta.content === 'string' && this.left > 0) choice.delta.content = this.#cutText(delta.content)
    }
    return chunk.usage != null || chunk.choices.some(hasContent)
  }

  #cutText(text: string): string {
    const same = commonLength(text, this.#rest)
    const isRepeating = same === text.length || same === this.#rest.length
    if (this.isStrict && !isRepeating) this.isBroken = true
    this.#rest = isRepeating ? this.#rest.slice(same) : ''
    return text.slice(same)
  }
}

function commonLength(one: string, other: string): number {
  const max = Math.min(one.length, other.length)
  let length = 0
  while (length < max && one.charCodeAt(length) === other.charCodeAt(length)) length++
  return length
}
