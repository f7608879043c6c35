import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ChatChunk } from '../../contract/chat-reply.ts'
import { ErrorBody, ValidationErrorBody } from '../../contract/errors.ts'
import { ResponseEvent } from '../../contract/events.ts'
import { ResponseObject, ResponsesRequest } from '../../contract/responses.ts'
import { keepsNothing } from '../../tenants/access/policy.ts'
import { answerChat, streamAnswer } from '../../endpoints/tool-loop/answer-chat.ts'
import { slotForLarge } from '../../calls/large-work.ts'
import type { ChunkStream } from '../../endpoints/chat/relay.ts'
import { demandStorage } from '../../calls/files/storage-quota.ts'
import { traceOf } from '../entry/request-trace.ts'
import { submitInBackground } from '../../jobs/background-responses/submit.ts'
import { addTurn } from '../../endpoints/responses/conversations.ts'
import type { ResponseRequest } from '../../endpoints/responses/stored-response.ts'
import { keepResponse } from '../../endpoints/responses/stored-responses.ts'
import { conversationOf, nativeCall, openRequest, viewOf } from '../../endpoints/responses/response-request.ts'
import { ResponseEvents } from '../../translation/formats/responses/response-events.ts'
import { type RequestView, fromCompletion, positionsOf } from '../../translation/formats/responses/response-object.ts'
import { exactMembers } from '../../translation/json/exact-numbers.ts'
import { followReply } from './responses/follow-reply.ts'
import { type OpenReply, openReply, wholeReply } from '../open-reply.ts'
import { readerOf } from '../memory-lease.ts'
import { refuseToStore } from '../auth.ts'
import { type RequestWith, route } from '../define-route.ts'
import type { HttpServices } from '../route.ts'
import { streamReply } from '../sse.ts'

export default route({
  method: 'POST',
  path: '/v3/responses',
  access: 'key',
  scope: 'chat',
  summary: 'Create a response',
  description:
    'Any chat model of any provider. Models of OpenAI and Azure are asked on their own responses endpoint. Responses are ' +
    'stored for seven days unless `store` is false. `previous_response_id` continues one of yours, and `conversation` one of ' +
    'your conversations, whichever model answered before. With `background: true` the response is made by a job that survives ' +
    'restarts: get it with GET, follow its events with `?stream=true`. Stored prompts (`prompt`) are refused. ' +
    'With `stream: true` the answer comes as the events of the format; the last holds the usage and the cost.',
  body: ResponsesRequest,
  replies: {
    200: { description: 'The response.', schema: ResponseObject, events: ResponseEvent },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
    502: { description: 'All models failed. The message has the last reason.', schema: ErrorBody },
  },
  handle,
})

/** Members of a request that are repeated in its response, digit for digit. */
const REPEATED_IN_ANSWERS = [
  ...['max_output_tokens', 'metadata', 'reasoning', 'temperature', 'text', 'tool_choice', 'tools', 'top_p'],
]

async function handle(request: RequestWith<ResponsesRequest>, reply: FastifyReply, services: HttpServices) {
  const parsed = request.body
  const exact = exactMembers(parsed, REPEATED_IN_ANSWERS)
  const responseRequest = await openRequest(parsed.value, exact, readerOf(request, services.calls), services.calls)
  if (responseRequest.body.background || conversationOf(responseRequest.body)) refuseToStore(request.caller)
  if (responseRequest.body.background) return await answerLater(responseRequest, request, reply, services)
  const native = nativeCall(responseRequest, request.caller, services.calls)
  const about = { ...viewOf(responseRequest), isOfCodex: /^codex/i.test(request.headers['user-agent'] ?? '') }
  if (keepsNothing(request.caller.policy)) about.isStored = false
  // Without `store`, a response that does not fit is not stored, and says so.
  else if (responseRequest.body.store)
    await demandStorage(request.caller.owner, parsed.text.length, services.calls.files)
  const open = openReply(request, reply, services, { endpoint: 'chat', format: 'responses' })
  const keep = (response: ResponseObject) => storeResponse(response, { responseRequest, about, open })
  if (!responseRequest.body.stream)
    return await wholeReply(open, async () =>
      keep(fromCompletion(await answerChat(native, open.call, services.calls), about)),
    )
  const events = new ResponseEvents(about)
  return await streamReply(
    open,
    async () => keeping(await streamAnswer(native, open.call, services.calls), events, keep),
    events,
  )
}

/** A response in the background is stored as a job. Its client may leave, and come back for it. */
async function answerLater(
  responseRequest: ResponseRequest,
  request: FastifyRequest,
  reply: FastifyReply,
  services: HttpServices,
) {
  const open = openReply(request, reply, services, 'chat')
  // The content is that of the job.
  open.call.record.keepNoContent()
  const { caller, wantsMetadata } = open.call
  const { labels } = open.call.record
  const job = { request: responseRequest, caller, wantsMetadata, labels }
  const submit = () => submitInBackground(job, services.jobs, traceOf(request, services.calls))
  if (!responseRequest.body.stream) return await wholeReply(open, submit)
  return await followReply(open, responseRequest.id, { after: -1, before: submit })
}

type Answered = { responseRequest: ResponseRequest; about: RequestView; open: OpenReply }

/** Stores a response, and adds it to its conversation. The view says what came of it. */
async function storeResponse(
  response: ResponseObject,
  { responseRequest, about, open }: Answered,
): Promise<ResponseObject> {
  const { call, services } = open
  const { owner } = call.caller
  const { items, exact, earlier } = responseRequest
  if (!about.isStored && !about.conversation) return response
  await slotForLarge(call, services.calls)
  if (about.isStored)
    about.isStored = await keepResponse(
      { response, items: [...items, ...response.output], exact },
      { owner: call.caller, endUser: call.record.labels.endUser, isPromised: responseRequest.body.store === true },
      services.calls,
    )
  if (about.conversation) {
    const turn = [...items.slice(earlier), ...response.output]
    const { endUser } = call.record.labels
    const turnRow = {
      conversation: about.conversation.id,
      responseId: responseRequest.id,
      items: turn,
      from: earlier,
      endUser,
    }
    if (!(await addTurn(turnRow, owner, services.calls))) about.conversation = null
  }
  return { ...response, ...positionsOf(about) } as ResponseObject
}

/** Stores the response before its end is sent, because the client may continue from it at once. */
function keeping(
  stream: ChunkStream,
  events: ResponseEvents,
  keep: (response: ResponseObject) => Promise<unknown>,
): ChunkStream {
  return {
    leave: (error) => stream.leave(error),
    next: async () => {
      const chunks = await stream.next()
      const response = events.final(chunks?.find(isLast))
      if (response) await keep(response)
      return chunks
    },
  }
}

function isLast({ choices }: ChatChunk): boolean {
  return choices.length === 0
}
