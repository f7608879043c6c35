import type { FinishReason, ToolCallFragment } from '../../../contract/chat-reply.ts'
import type { AnswerChunk, AnswerDelta, AnswerPiece } from '../../wire/answer.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { callPiece } from '../called.ts'
import { eventText, NOTHING } from '../event-text.ts'
import { BufferedDeltas } from '../kept-deltas.ts'
import { CitationWriter, ownBlocks, ownCitations, type TextBlock } from './citations.ts'
import { finishReason, usageOf } from './from-completion.ts'
import { cohereLogprobs } from './logprobs.ts'
import { splitPlan } from './tool-plan.ts'

type Block = { type: 'text' | 'thinking'; index: number }
type Event = Fields & { type: string }

/** Writes the chunks of a chat as Cohere's events. */
export class ChatEvents {
  readonly #deltas = new BufferedDeltas()
  readonly #citations = new CitationWriter()
  readonly #texts: TextBlock[] = []
  /** The indexes of the calls that have begun. */
  readonly #begunCalls = new Set<number>()
  #isBegun = false
  #blocks = 0
  #block: Block | undefined
  #call: number | undefined
  #cited = 0
  /** The answer so far: citations quote it. */
  #text = ''
  #reason: FinishReason | null | undefined
  #last: Fields = {}
  /** The metadata, if it was sent again after the beginning. */
  #later: Pick<AnswerChunk, 'gatehouse'> = {}

  chunks(chunks: readonly AnswerChunk[]): string {
    const events = chunks.flatMap((chunk) => this.#events(chunk))
    return events.length > 0 ? events.map(eventText).join('') : NOTHING
  }

  /** The usage comes after the finish reason, so the last event waits for both. */
  end(): string {
    const delta = { finish_reason: finishReason(this.#reason), ...this.#last }
    return [...this.#close(), { type: 'message-end', delta, ...this.#later }].map(eventText).join('')
  }

  #events(chunk: AnswerChunk): Event[] {
    const { gatehouse } = chunk
    const events: Event[] = []
    if (this.#isBegun && gatehouse) this.#later = { gatehouse }
    if (!this.#isBegun && chunk.choices.length > 0) {
      this.#isBegun = true
      const message = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] }
      events.push({ type: 'message-start', id: chunk.id, delta: { message }, ...(gatehouse && { gatehouse }) })
    }
    if (chunk.usage) {
      const { model, cost = null, provider } = chunk
      this.#last = { usage: usageOf(chunk.usage), model, cost, provider }
    }
    return [...events, ...chunk.choices.filter(({ index }) => index === 0).flatMap((choice) => this.#choice(choice))]
  }

  #choice({ delta, finish_reason, logprobs }: AnswerPiece): Event[] {
    this.#deltas.add(delta)
    this.#reason ??= finish_reason
    const { reasoning, plan } = splitPlan(delta)
    const text = `${delta.content ?? ''}${delta.refusal ?? ''}`
    return [
      ...(reasoning ? this.#piece('thinking', reasoning) : []),
      ...(plan ? [...this.#close(), { type: 'tool-plan-delta', delta: { message: { tool_plan: plan } } }] : []),
      ...(text ? this.#textEvents(text, logprobs) : []),
      ...(delta.tool_calls ?? []).flatMap((call) => this.#called(call)),
      ...this.#listed(delta),
    ]
  }

  #textEvents(text: string, logprobs: unknown): Event[] {
    const events = this.#piece('text', text)
    this.#text += text
    // An event has the probabilities of one piece.
    const [first, ...more] = cohereLogprobs(logprobs)
    if (!first) return events
    const joined = { ...first, text, logprobs: [first, ...more].flatMap((one) => one.logprobs) }
    return events.with(-1, { ...events.at(-1)!, logprobs: joined })
  }

  #piece(type: Block['type'], piece: string): Event[] {
    const events: Event[] = []
    if (this.#block?.type !== type) {
      events.push(...this.#close())
      this.#block = { type, index: this.#blocks++ }
      if (type === 'text') this.#texts.push({ index: this.#block.index, start: this.#text.length })
      events.push({ type: 'content-start', index: this.#block.index, ...saying({ type, [type]: '' }) })
    }
    return [...events, { type: 'content-delta', index: this.#block!.index, ...saying({ [type]: piece }) }]
  }

  #called(fragment: ToolCallFragment): Event[] {
    const { index, id, name, json } = callPiece(fragment)
    const isNew = !this.#begunCalls.has(index)
    const events = isNew ? this.#close() : []
    if (isNew) {
      this.#begunCalls.add(index)
      this.#call = index
      const call = { id, type: 'function', function: { name, arguments: '' } }
      events.push({ type: 'tool-call-start', index, delta: { message: { tool_calls: call } } })
    }
    if (json === '') return events
    const delta = { message: { tool_calls: { function: { arguments: json } } } }
    return [...events, { type: 'tool-call-delta', index, delta }]
  }

  /** Sources, and blocks of Cohere that a chat has no field for. They come whole, mostly at the end. */
  #listed({ annotations, provider_content }: AnswerDelta): Event[] {
    const blocks = ownBlocks(provider_content).flatMap((block): Event[] => {
      const index = this.#blocks++
      return [
        { type: 'content-start', index, ...saying(block) },
        { type: 'content-end', index },
      ]
    })
    const cited = [
      ...this.#citations.of(annotations, this.#text, this.#texts),
      ...ownCitations(provider_content),
    ].flatMap((citations): Event[] => {
      const index = this.#cited++
      return [
        { type: 'citation-start', index, delta: { message: { citations } } },
        { type: 'citation-end', index },
      ]
    })
    return [...(blocks.length > 0 ? this.#close() : []), ...blocks, ...cited]
  }

  /** Ends what is open: a block of content or a call. */
  #close(): Event[] {
    const events: Event[] = []
    if (this.#block) events.push({ type: 'content-end', index: this.#block.index })
    if (this.#call !== undefined) events.push({ type: 'tool-call-end', index: this.#call })
    this.#block = undefined
    this.#call = undefined
    return events
  }
}

function saying(content: Fields): Fields {
  return { delta: { message: { content } } }
}
