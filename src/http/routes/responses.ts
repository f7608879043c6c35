import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ChatChunk } from '../../contract/chat-reply.ts'
import { chatFaults } from '../../contract/chat-rules.ts'
import { ErrorBody, ValidationErrorBody } from '../../contract/errors.ts'
import { ResponseObject, ResponsesRequest } from '../../contract/responses.ts'
import { chat, streamChat } from '../../core/chat.ts'
import { turnForLarge } from '../../core/large-work.ts'
import { readersOf } from '../../core/readers-of.ts'
import type { ChunkStream } from '../../core/relay.ts'
import { keepResponse, newResponseId, wholeInput } from '../../core/responses-store.ts'
import { ResponseEvents } from '../../formats/responses/response-events.ts'
import { type Asked, fromCompletion } from '../../formats/responses/response-object.ts'
import { inputItems, toChat } from '../../formats/responses/to-chat.ts'
import type { JsonBody } from '../../json/parse-body.ts'
import { openLine, wholeReply } from '../call-line.ts'
import { readerOf } from '../memory-lease.ts'
import { validationProblem } from '../problems.ts'
import type { House, Route } from '../route.ts'
import { streamReply } from '../sse.ts'

export default {
  method: 'POST',
  path: '/v3/responses',
  access: 'key',
  scope: 'chat',
  summary: 'A response, in the responses format',
  description:
    'Any chat model of any provider, and models that their provider serves on its responses endpoint only. Responses are ' +
    'kept for seven days unless `store` is false: `previous_response_id` goes on from one of yours, whichever model made it. ' +
    'With `stream: true` the answer comes as the events of the format; the last holds the usage and the cost.',
  body: ResponsesRequest,
  replies: {
    200: { description: 'The response.', schema: ResponseObject },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
    502: { description: 'All models failed; the message has the last reason.', schema: ErrorBody },
  },
  handle,
} satisfies Route

async function handle(request: FastifyRequest, reply: FastifyReply, house: House) {
  const given = (request.body as JsonBody).value as ResponsesRequest
  refuseUnserved(given)
  const { outside } = house
  const { owner } = request.caller
  const named = { previous: given.previous_response_id, items: inputItems(given) }
  const items = await wholeInput(named, readerOf(request, outside), outside)
  const body = { ...given, input: items }
  const { request: asked, unsayable } = toChat(body, readersOf(given, outside).providers)
  const faults = chatFaults(asked)
  if (faults.length > 0) throw validationProblem(faults)
  const native = { request: asked, native: { format: 'responses' as const, body, unsayable } }
  const about: Asked = { id: newResponseId(outside), body: given, isStored: given.store !== false }
  const line = openLine(request, reply, house, 'chat')
  if (!given.stream)
    return await wholeReply(line, async () => kept(fromCompletion(await chat(native, line.call, outside), about)))
  const events = new ResponseEvents(about)
  return await streamReply(line, async () => keeping(await streamChat(native, line.call, outside), events), events)

  async function kept(response: ResponseObject): Promise<ResponseObject> {
    if (!about.isStored) return response
    await turnForLarge(line.call, outside)
    about.isStored = await keepResponse({ response, items: [...items, ...response.output] }, owner, outside)
    return { ...response, store: about.isStored } as ResponseObject
  }

  /** It is kept before its end is told: whoever heard the end may go on from it at once. */
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

function refuseUnserved({ input, previous_response_id, background }: ResponsesRequest): void {
  if (!input?.length && !previous_response_id)
    throw validationProblem([{ loc: ['body', 'input'], msg: 'Field required', type: 'missing' }])
  if (!background) return
  const msg = 'Responses are not made in the background here: leave it out, or stream'
  throw validationProblem([{ loc: ['body', 'background'], msg, type: 'value_error' }])
}
