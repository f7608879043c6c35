import type { FastifyReply } from 'fastify'
import { chatIssues } from '../../../contract/chat-rules.ts'
import { MessageEvent } from '../../../contract/events.ts'
import { MessagesError, MessagesReply, MessagesRequest } from '../../../contract/messages.ts'
import type { NativeAsk } from '../../../translation/wire/native-ask.ts'
import { answerChat, streamAnswer } from '../../../endpoints/tool-loop/answer-chat.ts'
import { targetFormatsOf } from '../../../calls/routing/target-formats.ts'
import { fitChat } from '../../../translation/formats/messages/fit-chat.ts'
import { fromCompletion } from '../../../translation/formats/messages/from-completion.ts'
import { noteLostBlocks } from '../../../translation/formats/messages/lost-blocks.ts'
import { noteLostFields } from '../../../translation/formats/messages/lost-fields.ts'
import { MessageEvents } from '../../../translation/formats/messages/message-events.ts'
import { namesUpload } from '../../../translation/formats/messages/names-upload.ts'
import { fallbackNames } from '../../../translation/formats/messages/own-fallbacks.ts'
import { toChat } from '../../../translation/formats/messages/to-chat.ts'
import { type Edit, editText, editValue } from '../../../translation/json/edit-json.ts'
import { openReply, wholeReply } from '../../open-reply.ts'
import { validationProblem } from '../../problems.ts'
import { type RequestWith, route } from '../../define-route.ts'
import type { HttpServices } from '../../route.ts'
import { streamReply } from '../../sse.ts'

/** Headers in which Anthropic clients name the version of the format. They are passed on to providers of that format. */
const FORMAT_HEADERS = ['anthropic-version', 'anthropic-beta'] as const

export default route({
  method: 'POST',
  path: '/v3/v1/messages',
  access: 'key',
  scope: 'chat',
  summary: 'Create a message (Anthropic)',
  description:
    'Any chat model of any provider, for clients of the messages format: set their base URL to `<this host>/v3`. ' +
    'Requests to models of providers that speak the format pass unchanged; others are translated. `fallbacks`, the ' +
    'router and hooks work as for chat completions. With `stream: true` the answer comes as the events of the format; the ' +
    'usage at the end holds the cost.',
  body: MessagesRequest,
  replies: {
    200: { description: 'The answer.', schema: MessagesReply, events: MessageEvent },
    400: { description: 'The model does not support this endpoint.', schema: MessagesError },
    422: { description: 'The request is not valid.', schema: MessagesError },
    529: { description: 'The provider is overloaded.', schema: MessagesError },
    502: { description: 'All models failed. The message has the last reason.', schema: MessagesError },
  },
  handle,
})

function handle(request: RequestWith<MessagesRequest>, reply: FastifyReply, services: HttpServices) {
  const body = request.body.value
  const { model, routing } = body
  const asked = { model, routing, fallbacks: fallbackNames(body), dialect: 'anthropic' }
  const { providers } = targetFormatsOf(asked, request.caller, services.calls)
  const native = nativeAsk(body, request)
  native.noteLost = (notes, other, sent) => {
    noteLostBlocks(body, { providers, plain: other?.plain ?? false }, notes)
    noteLostFields(sent, notes, other)
  }
  const input = { request: toChat(body, providers), native }
  const issues = chatIssues(input.request)
  if (issues.length > 0) throw validationProblem(issues)
  // The header in which Anthropic clients expect the id.
  reply.raw.setHeader('request-id', request.id)
  const open = openReply(request, reply, services, { endpoint: 'chat', format: 'messages' })
  if (body.stream)
    return streamReply(open, () => streamAnswer(input, open.call, services.calls), new MessageEvents(request.id))
  return wholeReply(open, async () => fromCompletion(await answerChat(input, open.call, services.calls)))
}

/** Only the gateway knows its uploaded files, so a request that names one has to be translated. */
function nativeAsk(body: MessagesRequest, request: RequestWith<MessagesRequest>): NativeAsk {
  const { text, outline, repeated } = request.body
  const raw = FORMAT_HEADERS.flatMap((name) => {
    const value = request.headers[name]
    return value === undefined ? [] : [[name, String(value)]]
  })
  // A text with a repeated key would be read one way by the gateway and another way by the provider.
  const write = (edit: Edit) => (repeated ? editValue(body, edit) : editText(text, outline, edit))
  const isStale = namesUpload(body)
  return { format: 'messages', body, headers: Object.fromEntries(raw), write, isStale, fit: fitChat }
}
