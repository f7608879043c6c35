import { type AnswerChunk, type AnswerDelta, placeBlock } from '../../wire/answer.ts'
import { UpstreamProblem } from '../../wire/upstream-problem.ts'
import type { WireEvent } from '../../wire/wire.ts'
import { type Ending, UNSAID } from '../../dialects/answer/finish-reason.ts'
import { errorEvent } from '../../dialects/answer/error-event.ts'
import { refuseUnreadable, secondAnswer, unreadable } from '../../dialects/answer/unreadable-event.ts'
import { tryParse } from '../../json/try-parse.ts'
import { type Fields, isRecord, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { chatLogprobs } from './logprobs.ts'
import { MissingPieces, UNNAMED_CALL } from './missing-pieces.ts'
import { StreamedItems } from './read-items.ts'
import { reasoningDetails } from './reasoning-details.ts'
import { failureIn, hostedTools, responseEnding } from './read-response.ts'
import { readUsage } from './usage.ts'
import { toNumber } from '../../../base/schema/to-primitive.ts'

/** No real answer has nearly as many calls; a stream that keeps starting new ones is broken. */
const MAX_CALLS = 10_000
const LAST: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete'])

/** The events that carry the answer. */
const PIECES: ReadonlySet<unknown> = new Set([
  'response.output_text.delta',
  'response.refusal.delta',
  'response.function_call_arguments.delta',
  'response.custom_tool_call_input.delta',
])

function refuseFailed({ type, error, response, ...event }: Fields): void {
  if (type === 'error') throw failureIn(error ?? event)
  if (type === 'response.failed' || recordOf(response).error) throw failureIn(recordOf(response).error)
}

/** Arguments of a call that the provider has not begun belong to no call. */
function refuseUnannounced(type: unknown): undefined {
  if (PIECES.has(type)) throw unreadable()
}

/** The fields of a response that are read. Nothing else of an event is kept. */
function headOf(response: Fields): Fields {
  const { id, created_at, model, service_tier, status, incomplete_details, usage } = response
  return { id, created_at, model, service_tier, status, incomplete_details, usage }
}

/** Values other than numbers are not remembered. */
function positionOf(at: unknown): number {
  return typeof at === 'number' ? at : Number.NaN
}

function withLogprobs(chunk: AnswerChunk, { type, logprobs }: Fields): AnswerChunk {
  const tokens = type === 'response.output_text.delta' ? recordsIn(logprobs) : []
  if (tokens.length > 0) Object.assign(chunk.choices[0]!, { logprobs: chatLogprobs(tokens) })
  return chunk
}

/** Decodes a stream of a provider's responses endpoint into our own format. */
export class ResponseDecoder {
  readonly #provider: string | undefined
  /** The index of each call, by its position among the items. */
  readonly #calls = new Map<number, number>()
  readonly #items = new StreamedItems()
  readonly #missing = new MissingPieces()
  /** The tools that the provider ran, one entry for each use. */
  readonly #tools: string[] = []
  #response: Fields = {}
  #hasBegun = false
  ended = false
  malformed = 0

  /** `provider` is the one that can read its encrypted reasoning again. */
  constructor(provider?: string) {
    this.#provider = provider
  }

  get done(): boolean {
    return this.ended
  }

  feed(wire: WireEvent): AnswerChunk[] {
    if (this.ended) return []
    const event = tryParse(wire.data)
    if (isRecord(event)) refuseFailed(event)
    const error = errorEvent(wire, event)
    if (error) throw error
    if (!isRecord(event)) return this.#passOver(wire)
    if (isRecord(event.response)) this.#hear(event.type, event.response)
    else if (LAST.has(event.type)) throw unreadable()
    return this.#missing.before(event).flatMap((one) => this.#take(one))
  }

  #take(event: Fields): AnswerChunk[] {
    if (LAST.has(event.type)) return this.#finish(textOf(event.type).slice('response.'.length))
    if (event.type === UNNAMED_CALL) this.#items.omit(recordOf(event.item))
    const delta = this.#deltaOf(event)
    return delta ? [withLogprobs(this.#chunk(delta), event)] : []
  }

  #passOver({ data }: WireEvent): AnswerChunk[] {
    refuseUnreadable(data)
    this.malformed++
    return []
  }

  /** Some servers give every event an id of its own. Another answer begins with the event that begins one. */
  #hear(type: unknown, response: Fields): void {
    const id = textOf(this.#response.id) || textOf(response.id)
    const isOther = textOf(response.id) !== '' && id !== response.id
    if (type === 'response.created' && isOther && this.#hasBegun) throw secondAnswer()
    this.#response = { ...headOf(response), id }
  }

  #deltaOf(event: Fields): AnswerDelta | undefined {
    const { type, output_index: at } = event
    const piece = textOf(event.delta)
    const item = this.#items.read(event)
    if (item) return placeBlock({}, { type: 'responses', block: item })
    if (type === 'response.output_item.done') return this.#reasoning(recordOf(event.item))
    if (typeof event.delta !== 'string' && PIECES.has(type)) throw unreadable()
    if (type === 'response.output_item.added') return this.#begin(at, recordOf(event.item))
    if (type === 'response.output_text.delta') return { content: piece }
    if (type === 'response.refusal.delta') return { refusal: piece }
    if (type === 'response.reasoning_summary_text.delta') return { reasoning_content: piece }
    const index = this.#calls.get(positionOf(at))
    if (index === undefined) return refuseUnannounced(type)
    if (type === 'response.function_call_arguments.delta')
      return { tool_calls: [{ index, function: { arguments: piece } }] }
    return type === 'response.custom_tool_call_input.delta'
      ? { tool_calls: [{ index, custom: { input: piece } }] }
      : undefined
  }

  /** Encrypted reasoning arrives with the end of its item. */
  #reasoning(item: Fields): AnswerDelta | undefined {
    const reasoning_details = reasoningDetails(item, this.#provider)
    return reasoning_details.length > 0 ? ({ reasoning_details } as AnswerDelta) : undefined
  }

  #begin(at: unknown, { type, call_id, name }: Fields): AnswerDelta | undefined {
    if (this.#tools.length < MAX_CALLS) this.#tools.push(...hostedTools([{ type }]))
    const isCustom = type === 'custom_tool_call'
    if (type !== 'function_call' && !isCustom) return undefined
    const index = this.#calls.size
    if (index >= MAX_CALLS) throw new UpstreamProblem('garbage', 'the answer has too many parts')
    this.#calls.set(positionOf(at), index)
    const called = { name: textOf(name) }
    const kind = isCustom ? { type: 'custom', custom: called } : { type: 'function', function: called }
    return { tool_calls: [{ index, id: textOf(call_id), ...kind }] }
  }

  /** The name of the event is the status too. If the two differ, the response is not complete. */
  #finish(name: string): AnswerChunk[] {
    const { status = name } = this.#response
    const end = responseEnding(
      { ...this.#response, status: status === 'completed' ? name : status },
      this.#calls.size > 0,
    )
    this.ended = true
    const usage = readUsage(this.#response.usage, this.#tools)
    const listed = this.#items.fields()
    const before = Object.keys(listed).length > 0 ? [this.#chunk(listed)] : []
    const last = this.#chunk({}, end)
    return [...before, { ...last, ...(usage && { usage }) }]
  }

  #chunk(delta: AnswerDelta, end: Ending = UNSAID): AnswerChunk {
    const { id, created_at, model, service_tier } = this.#response
    const first = this.#hasBegun ? {} : { role: 'assistant' as const }
    this.#hasBegun = true
    return {
      id: textOf(id),
      object: 'chat.completion.chunk',
      created: Math.floor(toNumber(created_at)) || 0,
      model: textOf(model),
      ...(typeof service_tier === 'string' && { service_tier }),
      choices: [{ index: 0, delta: { ...first, ...delta }, ...end }],
    }
  }
}
