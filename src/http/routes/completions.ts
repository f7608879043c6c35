import type { FastifyReply } from 'fastify'
import { answerChat, streamAnswer } from '../../endpoints/tool-loop/answer-chat.ts'
import { chatIssues } from '../../contract/chat-rules.ts'
import { ErrorBody, ValidationErrorBody } from '../../contract/errors.ts'
import { CompletionsRequest, TextCompletion, TextCompletionEvent } from '../../contract/legacy/completions.ts'
import type { NativeAsk } from '../../translation/wire/native-ask.ts'
import { CompletionEvents } from '../../translation/formats/completions/completion-events.ts'
import { type Echo, fromCompletion } from '../../translation/formats/completions/from-completion.ts'
import {
  noteTranslation,
  promptsOf,
  providerEchoes,
  toChat,
  untranslatable,
} from '../../translation/formats/completions/to-chat.ts'
import { openReply, wholeReply } from '../open-reply.ts'
import { bodyOf, validationProblem } from '../problems.ts'
import { type RequestWith, route } from '../define-route.ts'
import type { HttpServices } from '../route.ts'
import { type EventFormat, streamReply } from '../sse.ts'

export default route({
  method: 'POST',
  path: '/v3/completions',
  access: 'key',
  scope: 'chat',
  summary: 'Create a text completion',
  description:
    "OpenAI's older endpoint, in front of every chat model. A model that chats gets the prompt as a message and answers it; " +
    'local servers and models that complete text get it as it is. `fallbacks`, the router and hooks work as for chat ' +
    'completions. With `stream: true` the answer comes as `data: {completion}` lines, then `data: [DONE]`.',
  body: CompletionsRequest,
  replies: {
    200: { description: 'The completions.', schema: TextCompletion, events: TextCompletionEvent },
    422: { description: 'The request is not valid.', schema: ValidationErrorBody },
    502: { description: 'All models failed. The message has the last reason.', schema: ErrorBody },
  },
  handle,
})

function handle(request: RequestWith<CompletionsRequest>, reply: FastifyReply, services: HttpServices) {
  const body = request.body.value
  const input = { request: toChat(body), native: nativeAsk(body) }
  const issues = chatIssues(input.request)
  if (issues.length > 0) throw validationProblem(issues)
  const open = openReply(request, reply, services, { endpoint: 'chat', format: 'completions' })
  const echo = echoFor(body)
  if (body.stream) return streamReply(open, () => streamAnswer(input, open.call, services.calls), eventsWith(echo))
  return wholeReply(open, async () => fromCompletion(await answerChat(input, open.call, services.calls), echo))
}

function nativeAsk(body: CompletionsRequest): NativeAsk {
  return { format: 'completions', body, untranslatable: untranslatable(body), noteLost: noteTranslation }
}

function echoFor(body: CompletionsRequest): Echo {
  return body.echo && !providerEchoes(body) ? { prompts: promptsOf(body), perPrompt: body.n ?? 1 } : undefined
}

function eventsWith(echo: Echo): EventFormat {
  const events = new CompletionEvents(echo)
  return {
    chunks: (chunks) => events.chunks(chunks),
    end: () => events.end(),
    failure: (failure) => `data: ${JSON.stringify(bodyOf(failure))}\n\n`,
    endsFailuresAbruptly: true,
  }
}
