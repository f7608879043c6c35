import type { FastifyReply } from 'fastify'
import { answerChat, streamAnswer } from '../../../endpoints/tool-loop/answer-chat.ts'
import { chatIssues } from '../../../contract/chat-rules.ts'
import { CohereChatEvent, CohereChatReply, CohereChatRequest } from '../../../contract/cohere/chat.ts'
import { CohereError } from '../../../contract/cohere/error.ts'
import { ChatEvents } from '../../../translation/formats/cohere/chat-events.ts'
import { fromCompletion } from '../../../translation/formats/cohere/from-completion.ts'
import { nativeAsk, toChat } from '../../../translation/formats/cohere/to-chat.ts'
import { eventText } from '../../../translation/formats/event-text.ts'
import { openReply, wholeReply } from '../../open-reply.ts'
import { validationProblem } from '../../problems.ts'
import { type RequestWith, route } from '../../define-route.ts'
import type { HttpServices } from '../../route.ts'
import { type EventFormat, streamReply } from '../../sse.ts'

export default route({
  method: 'POST',
  path: '/v3/v2/chat',
  access: 'key',
  scope: 'chat',
  errors: CohereError,
  summary: 'Create a chat (Cohere)',
  description:
    'Any chat model of any provider, for clients of Cohere: set their base URL to `<this host>` or `<this host>/v3`. Requests ' +
    'are translated. `fallbacks`, the router and hooks work as for chat completions. With `stream: true` the answer comes as ' +
    "Cohere's events.",
  body: CohereChatRequest,
  replies: {
    200: { description: 'The answer.', schema: CohereChatReply, events: CohereChatEvent },
    422: { description: 'The request is not valid.', schema: CohereError },
    502: { description: 'All models failed. The message has the last reason.', schema: CohereError },
  },
  handle,
})

function handle(request: RequestWith<CohereChatRequest>, reply: FastifyReply, services: HttpServices) {
  const body = request.body.value
  const input = { request: toChat(body), native: nativeAsk(body) }
  const issues = chatIssues(input.request)
  if (issues.length > 0) throw validationProblem(issues)
  const open = openReply(request, reply, services, { endpoint: 'chat', format: 'cohere' })
  if (body.stream) return streamReply(open, () => streamAnswer(input, open.call, services.calls), events())
  return wholeReply(open, async () => fromCompletion(await answerChat(input, open.call, services.calls)))
}

function events(): EventFormat {
  const written = new ChatEvents()
  return {
    chunks: (chunks) => written.chunks(chunks),
    end: () => written.end(),
    failure: ({ message }) => eventText({ type: 'error', message }),
    endsFailuresAbruptly: true,
  }
}
