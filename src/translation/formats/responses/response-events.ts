import { type AnswerChunk, type AnswerDelta, blocksIn, Internal, type NativeEvent } from '../../wire/answer.ts'
import { CONTEXT_OVERFLOW } from '../../wire/context-overflow.ts'
import { Problem } from '../../../contract/problems.ts'
import type { ResponseObject } from '../../../contract/responses.ts'
import { packContent } from '../../dialects/packed-content.ts'
import { callPiece } from '../called.ts'
import { StepReader } from '../step-reader.ts'
import { eventText, NOTHING } from '../event-text.ts'
import { BufferedDeltas } from '../kept-deltas.ts'
import { type Fields, isRecord, recordsIn } from '../../../base/schema/record.ts'
import { ourEventFields } from './item-ids.ts'
import { flatNames } from './namespaces.ts'
import { ItemWriter } from './item-writer.ts'
import { type RequestView, emptyResponse, ending, namedOurs, nativeResponse, positionsOf } from './response-object.ts'
import { responseUsage } from './usage.ts'

/** Events that end a response. They are held back until the cost is known. */
const LAST: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete'])

/** The status of a response that does not say it itself. */
function statusOf(type: string): string {
  return LAST.has(type) ? type.slice('response.'.length) : 'in_progress'
}

/**
 * A streamed answer as events of this format. A provider's own events are written unchanged, except for the name of the
 * model.
 */
export class ResponseEvents {
  readonly #request: RequestView
  readonly #items: ItemWriter
  readonly #deltas = new BufferedDeltas()
  readonly #steps = new StepReader()
  #number: number
  #provider = ''
  #response: ResponseObject | undefined
  #isNative = false
  /** What the provider's last event has beside the response. */
  #lastFields: Fields = {}
  /** The latest metadata. */
  #metadata: Pick<AnswerChunk, 'gatehouse' | 'edenai_metadata'> = {}
  /** The chunk that carries the usage. */
  #counted: AnswerChunk | undefined

  /** `firstNumber` is that of the first event, if others were sent before. */
  constructor(fields: RequestView, firstNumber = 0) {
    this.#request = fields
    this.#number = firstNumber
    this.#items = new ItemWriter(
      { id: fields.id, names: flatNames(fields.body.tools) },
      this.#emit,
      () => this.#provider,
    )
  }

  chunks(chunks: readonly AnswerChunk[]): string {
    let text = ''
    for (const chunk of chunks) text += this.#chunk(chunk)
    return text || NOTHING
  }

  /** Sends the usage and the cost, if they arrived. */
  end(): string {
    const response = this.final(this.#counted) ?? this.#response
    return response ? this.#emit(`response.${response.status}`, { ...this.#lastFields, response }) : NOTHING
  }

  /**
   * In this format, a failure is an error event and a failed response, also if nothing else was sent before. The format has
   * the members of an error at the top of its event; the official clients raise only if there is an `error` object.
   */
  failure(problem: Problem): string {
    const { message, type, details } = problem
    const { body, receivedAt } = this.#request
    const code = this.#stopsCodex(problem) ? type : problem.code
    const begun = this.#begin({ model: body.model, created: receivedAt })
    const error = { type, code, message, param: details.param ?? null }
    const response = { ...this.#response, status: 'failed', error: { code, message } }
    return (
      begun +
      this.#emit('error', { code, message, param: error.param, error }) +
      this.#emit('response.failed', { response })
    )
  }

  /** OpenAI reports a prompt that is too long inside of the stream. Codex compacts only then, and not after a 400. */
  isEvent(failure: unknown): boolean {
    return failure instanceof Problem && (failure.code === CONTEXT_OVERFLOW || this.#stopsCodex(failure))
  }

  /** Codex asks five more times after a 402, and not at all after a stream that ends with `insufficient_quota`. */
  #stopsCodex({ type }: Problem): boolean {
    return this.#request.isOfCodex === true && type === 'insufficient_quota'
  }

  /** The complete response for the last event, from the chunk that carries the usage. */
  final(last: AnswerChunk | undefined): ResponseObject | undefined {
    if (!this.#response || !last) return undefined
    const { usage, cost = null, provider } = last
    const counts = this.#isNative ? this.#response.usage : usage && responseUsage(usage)
    const ours = { cost, ...(provider && { provider }), ...positionsOf(this.#request), ...this.#metadata }
    return { ...this.#response, ...ours, ...(counts && { usage: { ...counts, cost } }) } as ResponseObject
  }

  #chunk(chunk: AnswerChunk): string {
    this.#provider ||= chunk.provider ?? ''
    const { gatehouse, edenai_metadata } = chunk
    if (gatehouse) this.#metadata = { ...this.#metadata, gatehouse }
    if (edenai_metadata) this.#metadata = { ...this.#metadata, edenai_metadata }
    const own = Internal.read(chunk.nativeEvents)
    if (own) return own.map((event) => this.#pass(event, chunk)).join('')
    if (chunk.choices.length === 0) this.#counted = chunk
    let text = this.#begin(chunk)
    for (const { index, delta, finish_reason } of chunk.choices) {
      if (index !== 0) continue
      text += this.#add(delta ?? {})
      if (!finish_reason) continue
      for (const step of this.#steps.end()) text += this.#items.step(step)
      text += this.#items.finish()
      this.#response = { ...this.#response!, ...ending(finish_reason), output: this.#items.output }
    }
    return text
  }

  #pass(event: NativeEvent, { model, created }: AnswerChunk): string {
    this.#isNative = true
    const { type, sequence_number: _, ...fields } = event
    const origin = { id: this.#request.id, provider: this.#provider }
    if (!isRecord(event.response)) return this.#emit(type, { ...fields, ...ourEventFields(event, origin) })
    const response = {
      ...nativeResponse({ status: statusOf(type), ...event.response }, created, origin),
      ...namedOurs(model, this.#request),
      ...this.#metadata,
    }
    this.#response = response
    if (!LAST.has(type)) return this.#emit(type, { ...fields, response })
    this.#lastFields = fields
    return ''
  }

  #begin({ created, model }: Pick<AnswerChunk, 'created' | 'model'>): string {
    if (this.#response) return ''
    const response = { ...emptyResponse(this.#request, model, created), ...this.#metadata }
    this.#response = response
    return this.#emit('response.created', { response }) + this.#emit('response.in_progress', { response })
  }

  #add(delta: AnswerDelta & { executed_tools?: unknown }): string {
    this.#deltas.add(delta)
    const { reasoning_content, content, refusal, tool_calls, annotations } = delta
    let text = reasoning_content ? this.#items.thought(reasoning_content) : ''
    for (const step of this.#stepsIn(delta)) text += this.#items.step(step)
    if (content) text += this.#items.text(content, 'text')
    if (refusal) text += this.#items.text(refusal, 'refusal')
    for (const fragment of tool_calls ?? []) text += this.#items.call(callPiece(fragment))
    text += this.#items.cite(recordsIn(annotations))
    for (const detail of packContent(delta)) this.#items.details.push(detail)
    return text
  }

  #stepsIn(delta: AnswerDelta & { executed_tools?: unknown }) {
    const placed = blocksIn(delta).flatMap((block) => this.#steps.add(block))
    const listed = delta.provider_content ? this.#steps.rest(delta.provider_content) : []
    return [...placed, ...this.#steps.executed(delta.executed_tools), ...listed]
  }

  #emit = (type: string, fields: Fields): string => {
    return eventText({ type, ...fields, sequence_number: this.#number++ })
  }
}
