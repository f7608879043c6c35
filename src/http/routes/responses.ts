import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ChatChunk } from '../../contract/chat-reply.ts'
import { chatIssues } from '../../contract/chat-rules.ts'
import { ErrorBody, ValidationErrorBody } from '../../contract/errors.ts'
import { ResponseEvent } from '../../contract/events.ts'
import type { DropNotes } from '../../contract/native-call.ts'
import { ResponseObject, ResponsesRequest } from '../../contract/responses.ts'
import { keepsNothing } from '../../access/policy.ts'
import { chat, streamChat } from '../../chat/chat.ts'
import { slotForLarge } from '../../calls/large-work.ts'
import { targetFormatsOf } from '../../routing/target-formats.ts'
import type { ChunkStream } from '../../chat/relay.ts'
import { keepResponse, newResponseId, wholeInput } from '../../chat/responses-store.ts'
import { ResponseEvents } from '../../formats/responses/response-events.ts'
import { type RequestView, fromCompletion } from '../../formats/responses/response-object.ts'
import { noteLostItems } from '../../formats/responses/lost-items.ts'
import { namesUpload } from '../../formats/responses/names-upload.ts'
import { inputItems, toChat } from '../../formats/responses/to-chat.ts'
import { exactMembers, withDigits } from '../../json/exact-numbers.ts'
import type { JsonBody } from '../../json/parse-body.ts'
import { openReply, wholeReply } from '../open-reply.ts'
import { readerOf } from '../memory-lease.ts'
import { validationProblem } from '../problems.ts'
import type { HttpServices, Route } from '../services.ts'
import { streamReply } from '../sse.ts'

export default {
  method: 'POST',
  path: '/v3/responses',
  access: 'key',
  scope: 'chat',
  summary: 'A response, in the responses format',
  description:
    'Any chat model of any provider. Models of OpenAI and Azure are asked on their own responses endpoint. Responses are ' +
    'stored for seven days unless `store` is false. `previous_response_id` continues one of yours, whichever model created it. ' +
    '`background`, `conversation` and stored prompts (`prompt`) are refused. ' +
    'With `stream: true` the answer comes as the events of the format; the last holds the usage and the cost.',
  body: ResponsesRequest,
  replies: {
    200: { description: 'The response.', schema: ResponseObject, events: ResponseEvent },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
    502: { description: 'All models failed. The message has the last reason.', schema: ErrorBody },
  },
  handle,
} satisfies Route

/** Members of a request that are repeated in its response, digit for digit. */
const REPEATED_IN_ANSWERS = [
  ...['max_output_tokens', 'metadata', 'reasoning', 'temperature', 'text', 'tool_choice', 'tools', 'top_p'],
]

async function handle(request: FastifyRequest, reply: FastifyReply, services: HttpServices) {
  const parsed = request.body as JsonBody
  const options = parsed.value as ResponsesRequest
  refuseUnserved(options)
  const { context } = services
  const { owner } = request.caller
  const named = { previous: options.previous_response_id, items: inputItems(options) }
  const items = await wholeInput(named, readerOf(request, context), context)
  const body = { ...options, input: items }
  const { providers } = targetFormatsOf(options, request.caller, context)
  const { request: input, untranslatable } = toChat(body, providers)
  const issues = chatIssues(input)
  if (issues.length > 0) throw validationProblem(issues)
  const noteLost = (notes: DropNotes) => noteLostItems(items, providers, notes)
  const isStale = namesUpload(items)
  const native = { request: input, native: { format: 'responses' as const, body, untranslatable, noteLost, isStale } }
  const receivedAt = Math.floor(context.now() / 1000)
  const exact = exactMembers(parsed, REPEATED_IN_ANSWERS)
  const about: RequestView = {
    id: newResponseId(context),
    body: withDigits(options, exact),
    isStored: options.store !== false && !keepsNothing(request.caller.policy),
    receivedAt,
  }
  const open = openReply(request, reply, services, 'chat')
  if (!options.stream)
    return await wholeReply(open, async () => kept(fromCompletion(await chat(native, open.call, context), about)))
  const events = new ResponseEvents(about)
  return await streamReply(open, async () => keeping(await streamChat(native, open.call, context), events), events)

  async function kept(response: ResponseObject): Promise<ResponseObject> {
    if (!about.isStored) return response
    await slotForLarge(open.call, context)
    const { endUser } = open.call.labels
    const kept = { response, items: [...items, ...response.output], exact }
    about.isStored = await keepResponse(kept, owner, context, endUser)
    return { ...response, store: about.isStored } as ResponseObject
  }

  /** Stores the response before its end is sent, because the client may continue from it at once. */
  function keeping(stream: ChunkStream, events: ResponseEvents): ChunkStream {
    return {
      leave: () => stream.leave(),
      next: async () => {
        const chunks = await stream.next()
        const response = events.final(chunks?.find(isLast))
        if (response) await kept(response)
        return chunks
      },
    }
  }
}

function isLast({ choices }: ChatChunk): boolean {
  return choices.length === 0
}

/** Fields that change the answer and that are not supported are refused: an answer without their effect would be wrong. */
function refuseUnserved(body: ResponsesRequest): void {
  const { input, previous_response_id, background } = body
  const { conversation, prompt } = body as { conversation?: unknown; prompt?: unknown }
  if (!input?.length && !previous_response_id)
    throw validationProblem([{ loc: ['body', 'input'], msg: 'Field required', type: 'missing' }])
  if (conversation != null)
    throw unserved('conversation', 'Conversations are not supported. Continue a response with previous_response_id')
  if (prompt != null) throw unserved('prompt', 'Stored prompts are not supported. Send their text as instructions')
  if (background)
    throw unserved('background', 'Background responses are not supported. Omit the field, or use a stream')
}

function unserved(field: string, msg: string) {
  return validationProblem([{ loc: ['body', field], msg, type: 'value_error' }])
}
