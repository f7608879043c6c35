import type { FinishReason } from '../../../contract/chat-reply.ts'
import { type Answer, Internal } from '../../wire/answer.ts'
import type { ResponseObject, ResponsesRequest } from '../../../contract/responses.ts'
import type { Fields } from '../../../base/schema/record.ts'
import { type Origin, ownedItems } from './item-ids.ts'
import { flatNames } from './namespaces.ts'
import { outputItems } from './output-items.ts'
import { responseUsage } from './usage.ts'

/** What a response repeats of its request. `receivedAt` is when the request came, in seconds. */
export type RequestView = {
  /** The client is Codex, which has to be told in its own way that asking again does not help. */
  isOfCodex?: boolean
  id: string
  body: ResponsesRequest
  isStored: boolean
  receivedAt: number
  /** The conversation that the response belongs to; null if it could not be added there. */
  conversation?: { id: string } | null | undefined
}

/**
 * A complete answer in this format. If the provider used this format, it is the provider's own response, with our model
 * name and id.
 */
export function fromCompletion(completion: Answer, fields: RequestView): ResponseObject {
  const { model, created, cost = null, provider = '', gatehouse, usage } = completion
  const ours = { cost, provider, ...(gatehouse && { gatehouse }) }
  const native = Internal.read(completion.nativeReply)
  const { message, finish_reason } = completion.choices[0]!
  const end = ending(finish_reason)
  const origin = { id: fields.id, provider }
  if (native) return { ...end, ...nativeResponse(native, created, origin), ...namedOurs(model, fields), ...ours }
  return {
    ...emptyResponse(fields, model, created),
    output: outputItems(message, { responseId: fields.id, provider, names: flatNames(fields.body.tools) }),
    ...end,
    usage: usage ? responseUsage(usage) : null,
    ...ours,
  }
}

/** A provider's own response. What every response has is set if the provider omits it or sends another type. */
export function nativeResponse(native: Fields, created: number, origin: Origin): ResponseObject {
  return {
    error: null,
    ...(native.status !== undefined && { incomplete_details: null }),
    ...(native as Omit<ResponseObject, 'error'>),
    object: 'response',
    output: ownedItems(native.output, origin) as ResponseObject['output'],
    created_at: Number.isSafeInteger(native.created_at) ? Number(native.created_at) : created,
  }
}

export function namedOurs(model: string, view: RequestView) {
  const { id, body } = view
  return { id, model, previous_response_id: body.previous_response_id ?? null, ...positionsOf(view) }
}

/** Where the response is stored. */
export function positionsOf({ body, isStored, conversation }: RequestView) {
  return {
    store: isStored,
    ...(conversation !== undefined && { conversation }),
    ...(body.background && { background: true }),
  }
}

export function emptyResponse(fields: RequestView, model: string, created_at: number): ResponseObject & Fields {
  const { body } = fields
  return {
    object: 'response',
    background: false,
    ...namedOurs(model, fields),
    created_at,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    metadata: body.metadata ?? {},
    output: [],
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    reasoning: body.reasoning ?? { effort: null, summary: null },
    temperature: body.temperature ?? 1,
    text: body.text ?? { format: { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    usage: null,
    user: body.user ?? null,
  }
}

/** How the response ended: a limit or a filter makes it incomplete. Without a reason, it may not be complete. */
export function ending(reason: FinishReason | null): Pick<ResponseObject, 'status' | 'incomplete_details'> {
  const isCut = reason === null || reason === 'length'
  const why = isCut ? 'max_output_tokens' : reason === 'content_filter' ? reason : undefined
  return why
    ? { status: 'incomplete', incomplete_details: { reason: why } }
    : { status: 'completed', incomplete_details: null }
}
