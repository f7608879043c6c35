import type { ChatChunk } from '../contract/chat-reply.ts'
import { type WireEvent, WireFailure } from '../wire/wire.ts'
import { UpstreamProblem } from '../wire/upstream-problem.ts'
import type { ChatCall } from '../dialects/chat-codec.ts'
import { isLarge, type OpenStream, refuseGarbage } from '../upstream/ask.ts'
import { recordFailure, recordAbandoned, recordSuccess } from '../attempts/attempt.ts'
import { type Call, closeCall, failCall, knownCost, metadataOf } from '../calls/call.ts'
import { FAILURES, type Failure, isFailure, toProblem } from '../attempts/failures.ts'
import { observe } from '../attempts/observe.ts'
import type { AppContext } from '../app/context.ts'
import { canResume, type Overlap, resume } from './resume.ts'
import type { ChatTarget } from '../routing/route.ts'
import type { HookedStream, Hooks } from './run-hooks.ts'
import { settle, usageOf } from '../upstream/settle.ts'
import { Sent, StreamUsage, tidy } from './stream-usage.ts'

/** After its last event a provider gets this long to close; then its socket is given up instead of reused. */
const CLOSING_MS = 1_000
/** As much as a whole answer may be. Wires that are translated keep thoughts, sources and pictures until the end. */
const MAX_TRANSLATED_CHARS = 64 * 1024 * 1024
const CUT = 'the provider broke off before its answer was complete'

/** A streamed answer on its way to the caller. It is pulled: whoever reads slowly slows the provider down. */
export type ChunkStream = {
  /** The next chunks; undefined when the answer is complete. Throws when it cannot be. */
  next(): Promise<ChatChunk[] | undefined>
  /** Whoever reads no further says so. Harmless at the end. */
  leave(): void
}

/** A target that has begun to answer. */
type Opened = {
  target: ChatTarget
  /** The place of the credential that it was asked with. */
  credential: number
  /** Who could go on should it break. */
  left: readonly ChatTarget[]
  stream: OpenStream
  startedAt: number
}

/** One target's part of the answer. */
type Part = Opened & { streamUsage: StreamUsage; overlap?: Overlap | undefined }

type Relayed = {
  opened: Opened
  input: ChatCall
  call: Call
  context: AppContext
  hooks: Hooks | undefined
}

/**
 * Passes the chunks on, one batch per network read. Ends normally only when the reply is complete: a stream that stops
 * without a finish reason is continued where that is safe, else it throws, so that nobody takes half an answer for a whole
 * one. Writes the ledger line however it ends. Not an async generator: those cost several promises more per batch.
 */
export class Relay implements ChunkStream {
  readonly #options: Relayed
  readonly #post: HookedStream | undefined
  readonly #sent = new Sent()
  #part: Part
  /** It came in one read with words that are to be passed on first. */
  #failure: unknown
  #stage: 'opening' | 'passing' | 'ending' | 'counting' | 'closed' = 'opening'

  constructor(options: Relayed) {
    this.#options = options
    const { opened, input, hooks } = options
    this.#post = hooks?.stream({ target: opened.target, input })
    this.#part = { ...opened, streamUsage: new StreamUsage() }
  }

  async next(): Promise<ChatChunk[] | undefined> {
    for (;;) {
      try {
        const isPassing = this.#stage === 'passing'
        const batch = isPassing ? await this.#more() : undefined
        const chunks = isPassing ? this.#taken(batch) : await this.#turned()
        if (batch && isLarge(batch)) await this.#loopSlot()
        // An empty batch would open the reply before anything can be said.
        if (!chunks || chunks.length > 0) return chunks
      } catch (error) {
        const chunks = await this.#mended(error)
        if (chunks.length > 0) return chunks
      }
    }
  }

  leave(): void {
    if (this.#stage === 'closed') return
    this.#stage = 'closed'
    const { call, input, context } = this.#options
    const { target, credential, stream, streamUsage } = this.#part
    if (!streamUsage.isSettled) settle(call, target, input.request, streamUsage)
    // The reader left while nothing was asked for: no error passed through here, but the answer was not delivered.
    if (call.signal.aborted && call.status === 200) failCall(call, call.signal.reason)
    if (call.signal.aborted) recordAbandoned(target, credential, call, context)
    context.metrics.malformed(target.provider.id, stream.decoder.malformed)
    release(stream)
    closeCall(call, context)
  }

  #loopSlot(): Promise<void> {
    const { call, context } = this.#options
    return context.loopSlot(call.caller.owner)
  }

  /** What the provider sends next. No async function: there is one promise less for every event. */
  #more(): Promise<WireEvent[] | undefined> | undefined {
    if (this.#failure !== undefined) this.#failLate()
    const { decoder, events } = this.#part.stream
    return decoder.done ? undefined : events.next()
  }

  #taken(batch: WireEvent[] | undefined): ChatChunk[] {
    if (batch) return this.#passed(this.#decoded(batch))
    if (!this.#part.stream.decoder.ended) throw new UpstreamProblem('cut', CUT)
    this.#stage = 'ending'
    return []
  }

  /** What comes before and after the provider's own events; undefined at the end. */
  #turned(): Promise<ChatChunk[]> | ChatChunk[] | undefined {
    switch (this.#stage) {
      case 'opening':
        this.#stage = 'passing'
        return this.#passed(this.#introduced())
      case 'ending':
        this.#stage = 'counting'
        return this.#finished()
      case 'counting':
        return this.#counted()
      default:
        return undefined
    }
  }

  /** Chunks before an error in the same batch count as sent, so they are. */
  #decoded(batch: readonly WireEvent[]): ChatChunk[] {
    const chunks: ChatChunk[] = []
    try {
      for (const event of batch) this.#decode(event, chunks)
      refuseGarbage(this.#part.stream.decoder, this.#part.streamUsage.chunks)
    } catch (error) {
      if (chunks.length === 0) throw error
      this.#failure = error
    }
    return chunks
  }

  #decode(event: WireEvent, chunks: ChatChunk[]): void {
    const { target, stream, streamUsage, overlap } = this.#part
    streamUsage.wireChars += event.data.length
    if (streamUsage.wireChars > MAX_TRANSLATED_CHARS && target.provider.dialect !== 'openai')
      throw new UpstreamProblem('garbage', 'the answer is too long to be translated')
    for (const chunk of stream.decoder.feed(event)) {
      if (overlap && !overlap.cut(chunk)) continue
      if (tidy(chunk, target.id, streamUsage, this.#sent)) chunks.push(chunk)
    }
  }

  #failLate(): never {
    const failure = this.#failure
    this.#failure = undefined
    throw failure
  }

  #introduced(): ChatChunk[] {
    const { call, context } = this.#options
    const { stream, target, streamUsage } = this.#part
    for (const chunk of stream.first) {
      chunk.id ||= `chatcmpl-${call.id}`
      chunk.created ||= Math.floor(context.now() / 1000)
    }
    const first = stream.first.filter((chunk) => tidy(chunk, target.id, streamUsage, this.#sent))
    if (first[0]) first[0].provider = target.provider.id
    if (first[0] && call.wantsMetadata) first[0].gatehouse = metadataOf(call, context)
    return first
  }

  #passed(chunks: ChatChunk[]): ChatChunk[] {
    return this.#post ? this.#post.feed(chunks) : chunks
  }

  /** Goes on with another target where that is safe, else ends the call with what went wrong. */
  async #mended(error: unknown): Promise<ChatChunk[]> {
    try {
      if (this.#stage !== 'passing') throw error
      if (this.#part.stream.decoder.ended && error instanceof WireFailure) return this.#brokenAtTheEnd()
      return await this.#brokenBy(error)
    } catch (left) {
      const failure = failCall(this.#options.call, isFailure(left) ? toProblem(left, this.#part.target) : left)
      this.leave()
      throw failure
    }
  }

  /** A provider that has said everything may then break the line; that takes nothing away from the answer. */
  #brokenAtTheEnd(): ChatChunk[] {
    this.#stage = 'ending'
    return []
  }

  async #brokenBy(error: unknown): Promise<ChatChunk[]> {
    if (!isFailure(error)) throw error
    this.#part = await goOn(this.#part, error, this.#sent, this.#options)
    const { stream, target, streamUsage } = this.#part
    return this.#passed(stream.first.filter((chunk) => tidy(chunk, target.id, streamUsage, this.#sent)))
  }

  #finished(): Promise<ChatChunk[]> | ChatChunk[] {
    const { call, input, context } = this.#options
    settle(call, this.#part.target, input.request, this.#part.streamUsage)
    recordSuccess(this.#part.target, this.#part.credential, call, context)
    observe(this.#part, call, context)
    context.reasoning.keep(call.caller.owner, this.#sent.callIds, this.#sent.reasoning)
    return this.#post ? this.#post.end() : []
  }

  #counted(): ChatChunk[] | undefined {
    const { input, call } = this.#options
    this.leave()
    return input.request.stream_options?.include_usage ? [usageChunk(this.#part, this.#sent, call)] : undefined
  }
}

/** The next target goes on where this one broke off; where there is no other, the same one is asked once more. */
async function goOn(part: Part, failure: Failure, sent: Sent, { input, call, context }: Relayed): Promise<Part> {
  const { target, credential, left, stream, streamUsage } = part
  release(stream)
  if (call.signal.aborted) throw call.signal.reason
  recordFailure(failure, { target, credential, isLast: left.length === 0, call, context })
  const last = call.attempts.at(-1)
  if (last) last.outcome = failure.kind
  if (FAILURES[failure.kind].next === 'stop' || !canResume(input.request, sent)) throw failure
  const candidates = left.length > 0 || !mayAskAgain(call, context) ? left : [target]
  const startedAt = context.now()
  const resumed = await resume(candidates, input, sent, call, context)
  if (!resumed) throw toProblem(failure, target)
  settle(call, target, input.request, streamUsage)
  context.metrics.malformed(target.provider.id, stream.decoder.malformed)
  return { ...resumed, streamUsage: new StreamUsage(), startedAt }
}

function mayAskAgain({ attempts, caller }: Call, { retries }: AppContext): boolean {
  return attempts.length === 1 && retries.take(caller.owner)
}

function usageChunk({ target, streamUsage }: Part, { head }: Sent, call: Call): ChatChunk {
  const { id, created, system_fingerprint } = head!
  return {
    id,
    object: 'chat.completion.chunk',
    created,
    model: target.id,
    ...(system_fingerprint && { system_fingerprint }),
    choices: [],
    usage: usageOf(call, streamUsage.usage),
    cost: knownCost(call),
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
