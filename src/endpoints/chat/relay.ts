import type { CallServices } from '../../calls/services/call-services.ts'
import { wantsUsage } from '../../translation/dialects/request/other-spellings.ts'
import { isFailure, toProblem } from '../../calls/attempts/failures.ts'
import { observe } from '../../calls/attempts/observe.ts'
import { recordAbandoned, recordSuccess } from '../../calls/attempts/record-outcome.ts'
import type { Ending } from '../../calls/attempts/plan.ts'
import { type Call, failureOf } from '../../calls/call.ts'
import { metadataOf } from '../../calls/call-metadata.ts'
import { GuardrailBlock } from '../../calls/guardrails/guardrail-block.ts'
import type { PulledStream } from '../../calls/pulled-stream.ts'
import { noteChunkTimes } from '../../calls/chunk-times.ts'
import { unseenInChunk } from '../../calls/unseen-notes.ts'
import type { ChatChunk } from '../../contract/chat-reply.ts'
import { notesOfEnds } from '../../translation/dialects/answer/finish-reason.ts'
import { DeferredEnds } from '../../translation/dialects/answer/held-ends.ts'
import { settleId } from '../../translation/dialects/answer/identifiers.ts'
import { notesOfChunk } from '../../translation/dialects/answer/omissions.ts'
import type { ChatInput } from '../../calls/upstream/chat-input.ts'
import { isHarmlessAfterEnd, isLarge, refuseGarbage } from '../../calls/upstream/first-chunks.ts'
import { originalMetadata } from '../../calls/upstream/original-metadata.ts'
import { isNews } from '../../calls/upstream/has-content.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import type { WireEvent } from '../../translation/wire/wire.ts'
import { completeChunk } from './openai-members.ts'
import { resume } from './resume.ts'
import type { HookedStream, Hooks } from './run-hooks.ts'
import { type OpenedStream, payForPart, release, type StreamPart } from './stream-part.ts'
import { SentAnswer } from './sent-answer.ts'
import { StreamUsage, tidy } from './stream-usage.ts'
import { usageChunk } from './usage-chunk.ts'
import { MB } from '../../base/units/units.ts'

/** The limit for answers that are not streamed, too. Dialects that are translated keep reasoning, sources and images until the end. */
const MAX_TRANSLATED_CHARS = 64 * MB
/** A few compressed bytes can be very many events, and each of them takes time. */
const MAX_SILENT_EVENTS = 100_000
const MAX_SILENT_CHARS = 16_000_000
const SILENT = 'the provider sends events that say nothing'
const CUT = 'the provider broke off before its answer was complete'

/** A streamed answer on its way to the caller. It is pulled, so a caller who reads slowly slows the provider down. */
export type ChunkStream = PulledStream<ChatChunk>

/** Only where a service or a model looks at the stream, there is something to wait for. */
type Passing = ChatChunk[] | Promise<ChatChunk[]>

type Relayed = { opened: OpenedStream; input: ChatInput; hooks: Hooks | undefined; ending: Ending }

/**
 * Passes the chunks on, one batch per network read. Ends normally only when the answer is complete: a stream that stops
 * without a finish reason is continued by another target where that is safe. Otherwise it throws, so that the client does not
 * take half of an answer for the whole. Ends the call however it ends itself. This is not an async generator, because a
 * generator needs several more promises for each batch.
 */
export class Relay implements ChunkStream {
  readonly #input: ChatInput
  readonly #ending: Ending
  readonly #call: Call
  readonly #services: CallServices
  readonly #hooks: Hooks | undefined
  #post: HookedStream | undefined
  readonly #sent = new SentAnswer()
  readonly #ends = new DeferredEnds()
  #part: StreamPart
  /** An error that came in one read with chunks, which are passed on first. */
  #failure: unknown
  /** Whether the latest batch had a part of the answer, and how many events without any came since then. */
  #hasNews = false
  #silentChars = 0
  #silentEvents = 0
  #hasSent = false
  /** When the provider was last asked for events, on the monotonic clock. */
  #askedAt = 0
  #grace: { isOver: Promise<undefined>; timer: NodeJS.Timeout } | undefined
  #stage: 'opening' | 'passing' | 'ending' | 'counting' | 'closed' = 'opening'

  constructor({ opened, input, hooks, ending }: Relayed) {
    const { call, services } = opened.attempt
    this.#input = input
    this.#ending = ending
    this.#sent.wantsUsage = wantsUsage(input.request)
    this.#call = call
    this.#services = services
    this.#hooks = hooks
    this.#part = { ...opened, streamUsage: new StreamUsage(services.monotonic()), overlap: undefined }
  }

  async next(): Promise<ChatChunk[] | undefined> {
    for (;;) {
      try {
        const isPassing = this.#stage === 'passing'
        if (isPassing) this.#askedAt = this.#services.monotonic()
        const batch = isPassing ? await this.#read() : undefined
        const made = isPassing ? this.#chunksOf(batch) : await this.#nextStage()
        const chunks = made instanceof Promise ? await made : made
        if (batch && isLarge(batch)) await this.#services.loopSlot(this.#call.caller.owner)
        // An empty batch would open the reply before there is anything to send.
        if (!chunks || chunks.length > 0) return this.#sending(chunks)
      } catch (error) {
        const chunks = await this.#recover(error)
        if (chunks.length > 0) return chunks
      }
    }
  }

  #sending(chunks: ChatChunk[] | undefined): ChatChunk[] | undefined {
    this.#hasSent = true
    return chunks
  }

  /** What comes before and after the provider's own events; undefined at the end. */
  #nextStage(): Promise<ChatChunk[]> | ChatChunk[] | undefined {
    switch (this.#stage) {
      case 'opening':
        this.#stage = 'passing'
        this.#post = this.#hooks?.stream({ target: this.#part.attempt.target, input: this.#input })
        return this.#throughHooks(this.#withoutEnds(this.#openingChunks()))
      case 'ending':
        this.#stage = 'counting'
        return this.#finish()
      case 'counting':
        return this.#closingChunks()
      default:
        return undefined
    }
  }

  #openingChunks(): ChatChunk[] {
    const { stream, attempt } = this.#part
    for (const chunk of stream.first) {
      settleId(chunk)
      chunk.id ||= `chatcmpl-${this.#call.id}`
      chunk.created ||= Math.floor(this.#services.now() / 1000)
    }
    const first = this.#tidied(stream.first)
    if (first[0]) first[0].provider = attempt.target.provider.id
    if (first[0] && this.#call.wantsMetadata) first[0].gatehouse = metadataOf(this.#call, this.#services)
    const original = originalMetadata(this.#call, this.#services)
    if (first[0] && original) first[0].edenai_metadata = original
    return first
  }

  /** The provider's next events. This is not an async function, which saves a promise for every batch. */
  #read(): Promise<WireEvent[] | undefined> | undefined {
    if (this.#failure !== undefined) this.#throwLate()
    const { decoder, events } = this.#part.stream
    if (decoder.done) return undefined
    return this.#isWhole() ? this.#withinGrace(events.next()) : events.next()
  }

  #withinGrace(coming: Promise<WireEvent[] | undefined>): Promise<WireEvent[] | undefined> {
    this.#grace ??= startGrace(this.#services.afterFinishMs)
    return Promise.race([coming, this.#grace.isOver])
  }

  #throwLate(): never {
    const failure = this.#failure
    this.#failure = undefined
    throw failure
  }

  #chunksOf(batch: WireEvent[] | undefined): Passing {
    if (batch) return this.#throughHooks(this.#withoutEnds(this.#decodeBatch(batch)))
    if (!this.#part.stream.decoder.ended) throw new UpstreamProblem('cut', CUT)
    return this.#endAnswers()
  }

  /** What of these chunks is passed on now. The ends of the answers wait until nothing can follow them any more. */
  #withoutEnds(chunks: ChatChunk[]): ChatChunk[] {
    const { decoder } = this.#part.stream
    if (chunks.every((chunk) => this.#ends.passes(chunk))) return chunks
    const passed = chunks.flatMap((chunk) => (this.#ends.passes(chunk) ? chunk : this.#ends.take(chunk)))
    return decoder.done && decoder.ended ? [...passed, ...this.#ends.release()] : passed
  }

  #endAnswers(): Passing {
    this.#stage = 'ending'
    return this.#throughHooks(this.#ends.release())
  }

  /** Chunks that came before an error in the same batch count as sent, so they are sent before the error is thrown. */
  #decodeBatch(batch: readonly WireEvent[]): ChatChunk[] {
    const chunks: ChatChunk[] = []
    try {
      this.#hasNews = false
      for (const event of batch) this.#decode(event, chunks)
      this.#judge(batch)
      if (this.#call.trace) noteChunkTimes(this.#call, this.#part.stream.orders[0]!.order.report, chunks.length)
      refuseGarbage(this.#part.stream.decoder, this.#part.streamUsage.chunks)
    } catch (error) {
      if (chunks.length === 0) throw error
      this.#failure = error
    }
    return chunks
  }

  /** Events that say nothing may keep a stream open for a while, but not arrive without end. */
  #judge(batch: readonly WireEvent[]): void {
    if (this.#hasNews) {
      this.#silentChars = 0
      this.#silentEvents = 0
      this.#part.streamUsage.noteRead(this.#askedAt, this.#services.monotonic())
      return this.#part.stream.noteContent?.()
    }
    for (const { data } of batch) this.#silentChars += data.length
    this.#silentEvents += batch.length
    if (this.#silentChars > MAX_SILENT_CHARS || this.#silentEvents > MAX_SILENT_EVENTS)
      throw new UpstreamProblem('garbage', SILENT)
  }

  #decode(event: WireEvent, chunks: ChatChunk[]): void {
    const { attempt, stream, streamUsage, overlap } = this.#part
    const { provider } = attempt.target
    streamUsage.wireChars += event.data.length
    if (streamUsage.wireChars > MAX_TRANSLATED_CHARS && provider.dialect !== 'openai')
      throw new UpstreamProblem('garbage', 'the answer is too long to be translated')
    const decoded = stream.decoder.feed(event)
    this.#hasNews ||= isNews(event, decoded)
    for (const chunk of decoded) {
      if (overlap && !overlap.cut(chunk)) continue
      this.#noteLosses(chunk)
      if (this.#tidy(chunk)) chunks.push(chunk)
    }
  }

  #tidy(chunk: ChatChunk): boolean {
    const { attempt, streamUsage } = this.#part
    const { id, provider } = attempt.target
    if (provider.dialect !== 'openai') completeChunk(chunk)
    return tidy(chunk, id, streamUsage, this.#sent)
  }

  #tidied(chunks: ChatChunk[]): ChatChunk[] {
    for (const chunk of chunks) this.#noteLosses(chunk)
    return chunks.filter((chunk) => this.#tidy(chunk))
  }

  /** Notes what our format cannot express, and what the client's cannot show. The metadata went out with the first chunk, so it is sent again. */
  #noteLosses(chunk: ChatChunk): void {
    const omissions = notesOfChunk(chunk)
    const unseen = unseenInChunk(chunk, this.#call)
    const hasEnd = chunk.choices.some(({ finish_reason }) => finish_reason)
    if (hasEnd && this.#call.trace) this.#call.record.ended(chunk)
    if (!hasEnd && omissions.length === 0 && unseen.length === 0) return
    const notes = [...omissions, ...unseen, ...(hasEnd ? notesOfEnds(chunk.choices) : [])]
    if (notes.length === 0) return
    this.#call.record.note(notes)
    if (this.#call.wantsMetadata) chunk.gatehouse = metadataOf(this.#call, this.#services)
  }

  #throughHooks(chunks: ChatChunk[]): Passing {
    if (!this.#post) return chunks
    return this.#post.asksOutside ? this.#post.feedOutside(chunks) : this.#post.feed(chunks)
  }

  /** Continues with another target where that is safe. Otherwise it ends the call with the error. */
  async #recover(error: unknown): Promise<ChatChunk[]> {
    if (error instanceof GuardrailBlock && this.#hasSent) return this.#endBlocked(error)
    try {
      if (!isFailure(error)) recordAbandoned(this.#part.attempt)
      if (this.#stage !== 'passing') throw error
      // The provider has sent its whole answer, so it does not matter what became of the connection afterwards.
      if (this.#isWhole() && isHarmlessAfterEnd(error)) return await this.#endAnswers()
      return await this.#resumeAfter(error)
    } catch (final) {
      const { target } = this.#part.attempt
      const failure = isFailure(final) ? toProblem(final, target, this.#call.record.reasonGuards) : final
      this.#endCall('left', failure)
      throw failureOf(this.#call, failure)
    }
  }

  /** The provider is stopped, and what it has written is paid. The caller learns why its answer ends. */
  #endBlocked(error: GuardrailBlock): ChatChunk[] {
    const end = this.#post?.blocked() ?? []
    this.#endCall('left', error)
    return this.#sent.wantsUsage ? [...end, usageChunk(this.#part, this.#sent)] : end
  }

  #isWhole(): boolean {
    return this.#part.stream.decoder.ended && !this.#ends.hasMore
  }

  async #resumeAfter(error: unknown): Promise<ChatChunk[]> {
    if (!isFailure(error)) throw error
    this.#part = await resume(this.#part, error, { input: this.#input, sent: this.#sent })
    return await this.#throughHooks(this.#withoutEnds(this.#tidied(this.#part.stream.first)))
  }

  #finish(): Promise<ChatChunk[]> | ChatChunk[] {
    const { attempt, streamUsage } = this.#part
    recordSuccess(attempt)
    payForPart(this.#part, this.#input)
    observe(attempt, streamUsage.answers)
    this.#services.reasoning.keep(this.#call.caller.owner, this.#sent.callIds, this.#sent.reasoning)
    return this.#post ? this.#post.end() : []
  }

  #closingChunks(): ChatChunk[] | undefined {
    this.#endCall('delivered')
    return this.#sent.wantsUsage ? [usageChunk(this.#part, this.#sent)] : undefined
  }

  leave(error?: unknown): void {
    this.#endCall('left', error)
  }

  /** The first end counts. The call is closed even if something fails on the way there. */
  #endCall(how: 'delivered' | 'left', error?: unknown): void {
    if (this.#stage === 'closed') return
    this.#stage = 'closed'
    clearTimeout(this.#grace?.timer)
    const { attempt, stream } = this.#part
    const { target, call, services } = attempt
    try {
      // An answer that was left, or that a hook has refused, does not say whether the target is healthy.
      recordAbandoned(attempt)
      release(stream)
      services.metrics.malformed(target.provider.id, stream.decoder.malformed)
      payForPart(this.#part, this.#input)
    } catch (fault) {
      // A call that cannot be billed has ended all the same.
      throw this.#ending.fail(fault)
    }
    // The caller may have gone while nothing was being read, so that no error passed through here.
    if (how === 'delivered' && !call.signal.aborted) this.#ending.close()
    else this.#ending.fail(error)
  }
}

function startGrace(ms: number) {
  const { promise: isOver, resolve } = Promise.withResolvers<undefined>()
  return { isOver, timer: setTimeout(resolve, ms, undefined) }
}
