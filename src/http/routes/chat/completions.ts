import type { FastifyReply } from 'fastify'
import { ChatRequest } from '../../../contract/chat.ts'
import { ChatCompletion } from '../../../contract/chat-reply.ts'
import { chatIssues, furtherChatIssues } from '../../../contract/chat-rules.ts'
import { ErrorBody, ValidationErrorBody } from '../../../contract/errors.ts'
import { ChatEvent } from '../../../contract/events.ts'
import { answerChat, streamAnswer } from '../../../endpoints/tool-loop/answer-chat.ts'
import { withoutInternals } from '../../../translation/wire/answer.ts'
import { openReply, wholeReply } from '../../open-reply.ts'
import { validationProblem } from '../../problems.ts'
import { type RequestWith, route } from '../../define-route.ts'
import type { HttpServices } from '../../route.ts'
import { streamChatReply } from '../../sse.ts'

export default route({
  method: 'POST',
  path: '/v3/chat/completions',
  access: 'key',
  scope: 'chat',
  summary: 'Create a chat completion',
  description:
    'Sends a conversation to a model and returns its answer. With `stream: true` the answer comes as server-sent events: ' +
    '`data: {chunk}` lines, a usage chunk when `stream_options.include_usage` is set, then `data: [DONE]`. A stream that ' +
    'breaks ends with one `data: {"error": …}` event and no `[DONE]`; its body is then cut off.',
  body: ChatRequest,
  furtherIssues: furtherChatIssues,
  replies: {
    200: { description: 'The answer.', schema: ChatCompletion, events: ChatEvent },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
    502: { description: 'All models failed. The message has the last reason.', schema: ErrorBody },
  },
  handle,
})

function handle(request: RequestWith<ChatRequest>, reply: FastifyReply, services: HttpServices) {
  const { value, text, outline, repeated } = request.body
  const body = { request: value, source: repeated ? undefined : { text, outline } }
  const issues = chatIssues(body.request)
  if (issues.length > 0) throw validationProblem(issues)
  const open = openReply(request, reply, services, 'chat')
  if (body.request.stream) return streamChatReply(open, () => streamAnswer(body, open.call, services.calls))
  return wholeReply(open, async () => withoutInternals(await answerChat(body, open.call, services.calls)))
}
