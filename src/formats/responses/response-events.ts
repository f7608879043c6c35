import type { ChatChunk, Delta } from '../../contract/chat-reply.ts'
import { eventsIn, type NativeEvent } from '../../contract/messages-native.ts'
import type { Problem } from '../../contract/problems.ts'
import type { ResponseObject } from '../../contract/responses.ts'
import { callPiece } from '../called.ts'
import { eventText, NOTHING } from '../event-text.ts'
import { KeptDeltas } from '../kept-deltas.ts'
import { type Fields, isRecord, recordsIn } from '../../schema/record.ts'
import { ItemWriter } from './item-writer.ts'
import { type RequestView, emptyResponse, ending, namedOurs, nativeResponse } from './response-object.ts'
import { responseUsage } from './usage.ts'

/** Events that end a response. They are held back until the cost is known. */
const LAST: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete'])

/**
 * A streamed answer as events of this format. A provider's own events are written unchanged, except for the name of the
 * model.
 */
export class ResponseEvents {
  readonly #request: RequestView
  readonly #items: ItemWriter
  readonly #kept = new KeptDeltas()
  #number = 0
  #provider = ''
  #response: ResponseObject | undefined
  #isNative = false
  /** The chunk that carries the usage. */
  #counted: ChatChunk | undefined

  constructor(fields: RequestView) {
    this.#request = fields
    this.#items = new ItemWriter(fields.id, this.#emit, () => this.#provider)
  }

  chunks(chunks: readonly ChatChunk[]): string {
    let text = ''
    for (const chunk of chunks) text += this.#chunk(chunk)
    return text || NOTHING
  }

  /** Sends the usage and the cost, if they arrived. */
  end(): string {
    const response = this.final(this.#counted) ?? this.#response
    return response ? this.#emit(`response.${response.status}`, { response }) : NOTHING
  }

  /** In this format, a failure is an error event and a failed response. */
  failure({ message, code, details }: Problem): string {
    const error = this.#emit('error', { code, message, param: details.param ?? null })
    if (!this.#response) return error
    const response = { ...this.#response, status: 'failed', error: { code, message } }
    return error + this.#emit('response.failed', { response })
  }

  /** The complete response for the last event, from the chunk that carries the usage. */
  final(last: ChatChunk | undefined): ResponseObject | undefined {
    if (!this.#response || !last) return undefined
    const { usage, cost = null, provider } = last
    const counts = this.#isNative ? this.#response.usage : usage && responseUsage(usage)
    const ours = { cost, ...(provider && { provider }), store: this.#request.isStored }
    return { ...this.#response, ...ours, ...(counts && { usage: { ...counts, cost } }) } as ResponseObject
  }

  #chunk(chunk: ChatChunk): string {
    this.#provider ||= chunk.provider ?? ''
    const own = eventsIn(chunk)
    if (own) return own.map((event) => this.#pass(event, chunk)).join('')
    if (chunk.choices.length === 0) this.#counted = chunk
    let text = this.#begin(chunk)
    for (const { index, delta, finish_reason } of chunk.choices) {
      if (index !== 0) continue
      text += this.#add(delta ?? {})
      if (!finish_reason) continue
      text += this.#items.finish()
      this.#response = { ...this.#response!, ...ending(finish_reason), output: this.#items.output }
    }
    return text
  }

  #pass(event: NativeEvent, { model, created }: ChatChunk): string {
    this.#isNative = true
    const { type, sequence_number: _, ...fields } = event
    if (!isRecord(event.response)) return this.#emit(type, fields)
    const response = { ...nativeResponse(event.response, created), ...namedOurs(model, this.#request) }
    this.#response = response
    return LAST.has(type) ? '' : this.#emit(type, { ...fields, response })
  }

  #begin({ created, model }: ChatChunk): string {
    if (this.#response) return ''
    const response = emptyResponse(this.#request, model, created)
    this.#response = response
    return this.#emit('response.created', { response }) + this.#emit('response.in_progress', { response })
  }

  #add(delta: Delta & { reasoning_details?: unknown }): string {
    this.#kept.add(delta)
    const { reasoning_content, content, refusal, tool_calls, annotations, reasoning_details } = delta
    let text = reasoning_content ? this.#items.thought(reasoning_content) : ''
    if (content) text += this.#items.said(content, 'text')
    if (refusal) text += this.#items.said(refusal, 'refusal')
    for (const fragment of tool_calls ?? []) text += this.#items.call(callPiece(fragment))
    text += this.#items.cite(recordsIn(annotations))
    for (const detail of recordsIn(reasoning_details)) this.#items.details.push(detail)
    return text
  }

  #emit = (type: string, fields: Fields): string => {
    return eventText({ type, ...fields, sequence_number: this.#number++ })
  }
}
