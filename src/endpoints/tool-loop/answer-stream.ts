import type { Ending } from '../../calls/attempts/plan.ts'
import { type Call, failureOf, knownCost } from '../../calls/call.ts'
import { metadataOf } from '../../calls/call-metadata.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { unseenInChunk } from '../../calls/unseen-notes.ts'
import { usageOf } from '../../calls/upstream/chat-bill.ts'
import type { ChatChunk, Delta, FinishReason } from '../../contract/chat-reply.ts'
import { type AnswerChunk, type PlacedBlock, placeBlock } from '../../translation/wire/answer.ts'
import { streamTurn } from '../chat/chat.ts'
import type { ChunkStream } from '../chat/relay.ts'
import type { Followed, ToolLoop, Turn } from './loop.ts'
import { HeldTurn } from './held-turn.ts'

type Streamed = { loop: ToolLoop; wantsUsage: boolean; call: Call; services: CallServices; ending: Ending }

/**
 * The turns of an answer as one stream: one id, one role, one end. What the model says is passed on at once; calls of the gateway's
 * tools are held back, and the stream goes on with the next turn when they have been made.
 */
export class AnswerStream implements ChunkStream {
  readonly #loop: ToolLoop
  readonly #wantsUsage: boolean
  readonly #call: Call
  readonly #services: CallServices
  readonly #ending: Ending
  #turn: ChunkStream
  #held: HeldTurn
  /** The first chunk that was passed on. All others get its id and time. */
  #head: AnswerChunk | undefined
  #counted: ChatChunk | undefined
  #placed: PlacedBlock[]
  #stage: 'passing' | 'counting' | 'closed' = 'passing'

  private constructor(
    { loop, wantsUsage, call, services, ending }: Streamed,
    turn: ChunkStream,
    placed: PlacedBlock[],
  ) {
    this.#loop = loop
    this.#wantsUsage = wantsUsage
    this.#call = call
    this.#services = services
    this.#ending = ending
    this.#turn = turn
    this.#held = new HeldTurn(loop)
    this.#placed = placed
  }

  /** Resolves when the first turn has begun. */
  static async begin(streamed: Streamed): Promise<AnswerStream> {
    const { loop, call, services } = streamed
    const placed = await loop.begin()
    return new AnswerStream(streamed, await streamTurn(loop.nextRequest(), call, services), placed)
  }

  async next(): Promise<ChatChunk[] | undefined> {
    try {
      if (this.#stage === 'counting') return this.#close()
      while (this.#stage === 'passing') {
        const chunks = await this.#turn.next()
        const passed = chunks ? chunks.flatMap((chunk) => this.#pass(chunk)) : await this.#follow()
        if (passed.length > 0) return passed
      }
      return undefined
    } catch (error) {
      const reason = failureOf(this.#call, error)
      this.leave(reason)
      throw reason
    }
  }

  leave(error?: unknown): void {
    if (this.#stage === 'closed') return
    this.#stage = 'closed'
    this.#turn.leave(error)
    this.#ending.fail(error)
  }

  #pass(chunk: AnswerChunk): ChatChunk[] {
    if (chunk.choices.length === 0) {
      this.#counted = chunk
      return []
    }
    const passed = this.#held.take(chunk)
    if (!passed) return []
    const isFirst = this.#head === undefined
    const ours = isFirst ? this.#placed.splice(0).map((block) => this.#chunk(passed, placeBlock({}, block))) : []
    return [...(isFirst ? [this.#opening(this.#held.like ?? passed), ...ours] : []), this.#named(passed, isFirst)]
  }

  /** The role comes first, before what the gateway has done. */
  #opening(chunk: AnswerChunk): ChatChunk {
    this.#head = chunk
    return { ...this.#chunk(chunk, { role: 'assistant', content: '' }), ...ofFirst(chunk) }
  }

  #named(chunk: AnswerChunk, isFirst: boolean): ChatChunk {
    const { gatehouse: _, provider: __, edenai_metadata: ___, ...rest } = chunk
    const { id, created } = this.#head!
    const usage = this.#wantsUsage ? { usage: null } : { usage: undefined }
    return { ...rest, id, created, ...usage, ...(!isFirst && chunk.gatehouse && { gatehouse: chunk.gatehouse }) }
  }

  /** The turn is over: the gateway makes its calls, and the answer ends or goes on. */
  async #follow(): Promise<ChatChunk[]> {
    const turn = this.#held.turn()
    const { placed, end } = await this.#loop.follow(turn)
    const like = this.#head ?? this.#held.like
    const chunks: ChatChunk[] = []
    if (!this.#head && like) chunks.push(this.#opening(like))
    for (const block of [...this.#placed.splice(0), ...placed])
      chunks.push(this.#chunk(this.#head!, placeBlock({}, block)))
    if (end) return [...chunks, ...this.#end(end, turn)]
    this.#held = new HeldTurn(this.#loop)
    this.#turn = await streamTurn(this.#loop.nextRequest(), this.#call, this.#services)
    return chunks
  }

  /** Only the reasoning of the last turn has to come back as such: that of the others is a part of their turns. */
  #end({ finish, calls }: NonNullable<Followed['end']>, { provider_content, reasoning_details }: Turn): ChatChunk[] {
    this.#stage = 'counting'
    const pieces = this.#held.heldCalls(calls)
    const closing = { ...(reasoning_details != null && { reasoning_details }), ...this.#loop.closing(provider_content) }
    const deltas = [{ tool_calls: pieces }, closing].filter((delta) => Object.values(delta).some(isPresent))
    return [...deltas.map((delta) => this.#chunk(this.#head!, delta as Delta)), this.#finishing(finish)]
  }

  #finishing(finish: FinishReason | null): ChatChunk {
    const chunk = this.#chunk(this.#head!, {}, finish)
    if (this.#call.wantsMetadata) chunk.gatehouse = metadataOf(this.#call, this.#services)
    return chunk
  }

  #chunk(like: AnswerChunk, delta: Delta, finish_reason: FinishReason | null = null): ChatChunk {
    const { id, created, model, system_fingerprint } = this.#head ?? like
    const made: ChatChunk = {
      id,
      object: 'chat.completion.chunk',
      created,
      model,
      ...(system_fingerprint && { system_fingerprint }),
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(this.#wantsUsage && { usage: null }),
    }
    this.#call.record.note(unseenInChunk(made, this.#call))
    return made
  }

  /** The ledger line is written before the last chunk is sent. */
  #close(): ChatChunk[] | undefined {
    this.#stage = 'closed'
    if (this.#call.signal.aborted) throw this.#ending.fail(this.#call.signal.reason)
    const usage = usageOf(this.#call.spending, this.#counted?.usage)
    const cost = knownCost(this.#call)
    this.#ending.close()
    return this.#wantsUsage && this.#counted ? [{ ...this.#counted, ...nameOf(this.#head!), usage, cost }] : undefined
  }
}

function nameOf({ id, created }: AnswerChunk) {
  return { id, created }
}

function ofFirst({ provider, gatehouse, edenai_metadata }: AnswerChunk): Partial<ChatChunk> {
  return {
    ...(provider !== undefined && { provider }),
    ...(gatehouse && { gatehouse }),
    ...(edenai_metadata && { edenai_metadata }),
  }
}

function isPresent(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value != null
}
