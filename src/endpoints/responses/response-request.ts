import type { Names } from '../../calls/routing/names/alias-models.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import { chatIssues } from '../../contract/chat-rules.ts'
import type { DropNotes } from '../../translation/wire/native-ask.ts'
import { problem } from '../../contract/problems.ts'
import type { ResponsesRequest } from '../../contract/responses.ts'
import { validationProblemOf } from '../../contract/validation-problem.ts'
import { noteLostFields } from '../../translation/formats/responses/lost-fields.ts'
import { noteLostItems } from '../../translation/formats/responses/lost-items.ts'
import { namesUpload } from '../../translation/formats/responses/names-upload.ts'
import type { RequestView } from '../../translation/formats/responses/response-object.ts'
import { inputItems, toChat } from '../../translation/formats/responses/to-chat.ts'
import { withDigits } from '../../translation/json/exact-numbers.ts'
import { targetFormatsOf } from '../../calls/routing/target-formats.ts'
import { type Fields, isRecord } from '../../base/schema/record.ts'
import type { AskedChat } from '../../calls/upstream/native-codec.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { type ConversationSpace, itemsForTurn } from './conversations.ts'
import { type StoredSpace, wholeInput } from './stored-responses.ts'
import type { ResponseReader, ResponseRequest } from './stored-response.ts'
import { newResponseId } from './response-ids.ts'
import { keepWritten } from '../../translation/json/written-numbers.ts'

type Space = StoredSpace & ConversationSpace & Pick<CallServices, 'now'>

export async function openRequest(
  body: ResponsesRequest,
  exact: Record<string, string>,
  reader: ResponseReader,
  services: Space,
): Promise<ResponseRequest> {
  refuseUnserved(body)
  const items = await wholeItems(body, reader, services)
  const earlier = items.length - inputItems(body).length
  const receivedAt = Math.floor(services.now() / 1000)
  return keepWritten({ id: newResponseId(services), body, items, earlier, exact, receivedAt }, body)
}

/** The input of a request with everything before it. */
export async function wholeItems(
  body: Pick<ResponsesRequest, 'input' | 'previous_response_id' | 'conversation'>,
  reader: ResponseReader,
  services: StoredSpace & ConversationSpace,
): Promise<Fields[]> {
  const conversation = conversationOf(body)
  if (conversation !== undefined && body.previous_response_id) throw bothNamed()
  const items = inputItems(body)
  const input = await wholeInput({ previous: body.previous_response_id, items }, reader, services)
  if (conversation === undefined) return input
  return [...(await itemsForTurn(conversation, input, reader, services)), ...input]
}

/** The call that answers a request, in the formats of all its targets. */
export function nativeCall({ body, items }: ResponseRequest, caller: Caller, services: Names): AskedChat {
  const whole = { ...body, input: items }
  const { providers } = targetFormatsOf(body, caller, services)
  const { request, untranslatable } = toChat(whole, providers)
  const issues = chatIssues(request)
  if (issues.length > 0) throw validationProblemOf(issues)
  const noteLost = (notes: DropNotes, _other: unknown, sent: Fields) => {
    noteLostItems(items, providers, notes)
    noteLostFields(sent, notes)
  }
  const isStale = namesUpload(items)
  return { request, native: { format: 'responses' as const, body: whole, untranslatable, noteLost, isStale } }
}

/** What the response repeats of its request. */
export function viewOf({ id, body, exact, receivedAt }: ResponseRequest): RequestView {
  const conversation = conversationOf(body)
  return {
    id,
    body: withDigits(body, exact),
    isStored: body.store !== false,
    receivedAt,
    ...(conversation !== undefined && { conversation: { id: conversation } }),
  }
}

export function conversationOf({ conversation }: Pick<ResponsesRequest, 'conversation'>): string | undefined {
  return (isRecord(conversation) ? conversation.id : conversation) ?? undefined
}

/** Fields that change the answer and that are not supported are refused: an answer without their effect would be wrong. */
function refuseUnserved(body: ResponsesRequest): void {
  const { input, previous_response_id, background, store, prompt } = body
  if (!input?.length && !previous_response_id && conversationOf(body) === undefined)
    throw validationProblemOf([{ loc: ['body', 'input'], msg: 'Field required', type: 'missing' }])
  if (prompt != null) {
    const msg = 'Stored prompts are not supported. Send their text as instructions'
    throw validationProblemOf([{ loc: ['body', 'prompt'], msg, type: 'value_error' }])
  }
  if (background && store === false) throw notStored()
}

/** OpenAI refuses both with this status and these words. */
function bothNamed() {
  const message =
    "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. " +
    "Ensure you are only providing one of: 'previous_response_id' or 'conversation'."
  return problem('bad_request', { message, param: 'conversation', code: 'mutually_exclusive_parameters' })
}

function notStored() {
  const message = "Background responses must be stored: 'background' cannot be true while 'store' is false."
  return problem('bad_request', { message, param: 'background', code: 'invalid_value' })
}
