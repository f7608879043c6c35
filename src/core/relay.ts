import type { ChatChunk } from '../contract/chat-reply.ts'
import { type WireEvent, WireFailure } from '../contract/wire.ts'
import { UpstreamProblem } from '../contract/upstream-problem.ts'
import type { ChatCall } from '../dialects/dialect.ts'
import { isLarge, type OpenStream, refuseGarbage } from './ask.ts'
import { learn, wasLeft, wasWell } from './attempt.ts'
import { type Call, closeCall, failCall, knownCost, metadataOf } from './call.ts'
import { FAILURES, type Failure, isFailure, toProblem } from './failures.ts'
import { observe } from './observe.ts'
import type { Outside } from './outside.ts'
import { canResume, type Overlap, resume } from './resume.ts'
import type { ChatTarget } from './route.ts'
import type { HookedStream, Hooks } from './run-hooks.ts'
import { settle, usageOf } from './settle.ts'
import { Sent, Tally, tidy } from './tally.ts'

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
type Part = Opened & { tally: Tally; overlap?: Overlap | undefined }

type Relayed = {
  opened: Opened
  asked: ChatCall
  call: Call
  outside: Outside
  hooks: Hooks | undefined
}

/**
 * Passes the chunks on, one batch per network read. Ends normally only when the reply is complete: a stream that stops
 * without a finish reason is continued where that is safe, else it throws, so that nobody takes half an answer for a whole
 * one. Writes the ledger line however it ends. Not an async generator: those cost several promises more per batch.
 */
export class Relay implements ChunkStream {
  readonly #given: Relayed
  readonly #post: HookedStream | undefined
  readonly #sent = new Sent()
  #part: Part
  /** It came in one read with words that are to be passed on first. */
  #failure: unknown
  #stage: 'opening' | 'passing' | 'ending' | 'counting' | 'closed' = 'opening'

  constructor(given: Relayed) {
    this.#given = given
    const { opened, asked, hooks } = given
    this.#post = hooks?.stream({ target: opened.target, asked })
    this.#part = { ...opened, tally: new Tally() }
  }

  async next(): Promise<ChatChunk[] | undefined> {
    for (;;) {
      try {
        const isPassing = this.#stage === 'passing'
        const batch = isPassing ? await this.#more() : undefined
        const chunks = isPassing ? this.#taken(batch) : await this.#turned()
        if (batch && isLarge(batch)) await this.#ownTurn()
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
    const { call, asked, outside } = this.#given
    const { target, credential, stream, tally } = this.#part
    if (!tally.isSettled) settle(call, target, asked.request, tally)
    // The reader left while nothing was asked for: no error passed through here, but the answer was not delivered.
    if (call.signal.aborted && call.status === 200) failCall(call, call.signal.reason)
    if (call.signal.aborted) wasLeft(target, credential, call, outside)
    outside.metrics.malformed(target.provider.id, stream.decoder.malformed)
    release(stream)
    closeCall(call, outside)
  }

  #ownTurn(): Promise<void> {
    const { call, outside } = this.#given
    return outside.ownTurn(call.caller.owner)
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
      refuseGarbage(this.#part.stream.decoder, this.#part.tally.chunks)
    } catch (error) {
      if (chunks.length === 0) throw error
      this.#failure = error
    }
    return chunks
  }

  #decode(event: WireEvent, chunks: ChatChunk[]): void {
    const { target, stream, tally, overlap } = this.#part
    tally.wireChars += event.data.length
    if (tally.wireChars > MAX_TRANSLATED_CHARS && target.provider.dialect !== 'openai')
      throw new UpstreamProblem('garbage', 'the answer is too long to be translated')
    for (const chunk of stream.decoder.feed(event)) {
      if (overlap && !overlap.cut(chunk)) continue
      if (tidy(chunk, target.id, tally, this.#sent)) chunks.push(chunk)
    }
  }

  #failLate(): never {
    const failure = this.#failure
    this.#failure = undefined
    throw failure
  }

  #introduced(): ChatChunk[] {
    const { call, outside } = this.#given
    const { stream, target, tally } = this.#part
    for (const chunk of stream.first) {
      chunk.id ||= `chatcmpl-${call.id}`
      chunk.created ||= Math.floor(outside.now() / 1000)
    }
    const first = stream.first.filter((chunk) => tidy(chunk, target.id, tally, this.#sent))
    if (first[0]) first[0].provider = target.provider.id
    if (first[0] && call.wantsMetadata) first[0].gatehouse = metadataOf(call, outside)
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
      const failure = failCall(this.#given.call, isFailure(left) ? toProblem(left, this.#part.target) : left)
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
    this.#part = await goOn(this.#part, error, this.#sent, this.#given)
    const { stream, target, tally } = this.#part
    return this.#passed(stream.first.filter((chunk) => tidy(chunk, target.id, tally, this.#sent)))
  }

  #finished(): Promise<ChatChunk[]> | ChatChunk[] {
    const { call, asked, outside } = this.#given
    settle(call, this.#part.target, asked.request, this.#part.tally)
    wasWell(this.#part.target, this.#part.credential, call, outside)
    observe(this.#part, call, outside)
    outside.reasoning.keep(call.caller.owner, this.#sent.callIds, this.#sent.thoughts)
    return this.#post ? this.#post.end() : []
  }

  #counted(): ChatChunk[] | undefined {
    const { asked, call } = this.#given
    this.leave()
    return asked.request.stream_options?.include_usage ? [usageChunk(this.#part, this.#sent, call)] : undefined
  }
}

/** The next target goes on where this one broke off; where there is no other, the same one is asked once more. */
async function goOn(part: Part, failure: Failure, sent: Sent, { asked, call, outside }: Relayed): Promise<Part> {
  const { target, credential, left, stream, tally } = part
  release(stream)
  if (call.signal.aborted) throw call.signal.reason
  learn(failure, { target, credential, isLast: left.length === 0, call, outside })
  const last = call.attempts.at(-1)
  if (last) last.outcome = failure.kind
  if (FAILURES[failure.kind].next === 'stop' || !canResume(asked.request, sent)) throw failure
  const candidates = left.length > 0 || !mayAskAgain(call, outside) ? left : [target]
  const startedAt = outside.now()
  const resumed = await resume(candidates, asked, sent, call, outside)
  if (!resumed) throw toProblem(failure, target)
  settle(call, target, asked.request, tally)
  outside.metrics.malformed(target.provider.id, stream.decoder.malformed)
  return { ...resumed, tally: new Tally(), startedAt }
}

function mayAskAgain({ attempts, caller }: Call, { retries }: Outside): boolean {
  return attempts.length === 1 && retries.take(caller.owner)
}

function usageChunk({ target, tally }: Part, { head }: Sent, call: Call): ChatChunk {
  const { id, created, system_fingerprint } = head!
  return {
    id,
    object: 'chat.completion.chunk',
    created,
    model: target.id,
    ...(system_fingerprint && { system_fingerprint }),
    choices: [],
    usage: usageOf(call, tally.usage),
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
