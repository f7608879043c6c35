import type { FastifyReply, FastifyRequest } from 'fastify'
import { valueError } from '../../../../base/schema/issue-messages.ts'
import Type from '../../../../base/schema/type.ts'
import { answerChat, streamAnswer } from '../../../../endpoints/tool-loop/answer-chat.ts'
import { chatIssues } from '../../../../contract/chat-rules.ts'
import {
  GeminiError,
  GeminiEvent,
  GenerateContentReply,
  GenerateContentRequest,
} from '../../../../contract/gemini/generate-content.ts'
import type { NativeAsk } from '../../../../translation/wire/native-ask.ts'
import { namesUpload } from '../../../../translation/formats/gemini/content-parts.ts'
import { arrayFraming, eventFraming } from '../../../../translation/formats/gemini/framings.ts'
import { fitChat } from '../../../../translation/formats/gemini/fit-chat.ts'
import { fromCompletion } from '../../../../translation/formats/gemini/from-completion.ts'
import { GeminiEvents } from '../../../../translation/formats/gemini/gemini-events.ts'
import { noteLostFields } from '../../../../translation/formats/gemini/lost-fields.ts'
import { fieldsOf } from '../../../../translation/formats/gemini/names.ts'
import { toChat } from '../../../../translation/formats/gemini/to-chat.ts'
import { ownToolNames } from '../../../../translation/formats/gemini/tools.ts'
import { type Edit, editText, editValue } from '../../../../translation/json/edit-json.ts'
import type { JsonBody } from '../../../../translation/json/parse-body.ts'
import { targetFormatsOf } from '../../../../calls/routing/target-formats.ts'
import { labelAs, openReply, wholeReply } from '../../../open-reply.ts'
import { validationProblem } from '../../../problems.ts'
import { route } from '../../../define-route.ts'
import type { HttpServices } from '../../../route.ts'
import { type EventFormat, streamReply } from '../../../sse.ts'
import { modelIn } from '../model-name.ts'

type GeminiRequest = FastifyRequest<{ Body: JsonBody<GenerateContentRequest>; Params: { model: string } }>

const common = {
  method: 'POST' as const,
  access: 'key' as const,
  scope: 'chat' as const,
  errors: GeminiError,
  body: GenerateContentRequest,
}

/** Errors that the gateway or the last provider reports. */
const FAILURES = {
  400: { description: 'The model does not support this endpoint.', schema: GeminiError },
  422: { description: 'The request is not valid.', schema: GeminiError },
  502: { description: 'All models failed. The message has the last reason.', schema: GeminiError },
}

export const whole = route({
  ...common,
  path: '/v3/v1beta/models/{model}:generateContent',
  routedAs: '/v3/v1beta/generateContent/:model',
  summary: 'Generate content (Gemini)',
  description:
    'Any chat model of any provider, for clients of the Gemini format: set their base URL to `<this host>/v3` (or to ' +
    '`<this host>/v3/v1beta` if they add no version). Requests to models of Google pass unchanged; others are translated. ' +
    '`fallbacks`, the router and hooks work as for chat completions. The key is in `x-goog-api-key`, or in `?key=`.',
  replies: { 200: { description: 'The answer.', schema: GenerateContentReply }, ...FAILURES },
  handle: (request, reply, services) => {
    const { input, open } = prepare(request, reply, services, false)
    return wholeReply(open, async () => fromCompletion(await answerChat(input, open.call, services.calls)))
  },
})

export const streamed = route({
  ...common,
  path: '/v3/v1beta/models/{model}:streamGenerateContent',
  routedAs: '/v3/v1beta/streamGenerateContent/:model',
  summary: 'Stream generated content (Gemini)',
  description: 'With `?alt=sse` as server-sent events, otherwise as one JSON array that grows.',
  query: Type.Object({ alt: Type.Optional(Type.String({ description: '`sse` for server-sent events.' })) }),
  replies: {
    200: { description: 'The answer.', schema: Type.Array(GenerateContentReply), events: GeminiEvent },
    ...FAILURES,
  },
  handle: (request, reply, services) => {
    const { input, open } = prepare(request, reply, services, true)
    const format = request.query.alt === 'sse' ? asEvents() : asArray()
    return streamReply(open, () => streamAnswer(input, open.call, services.calls), format)
  },
})

/** Nothing marks the end of an answer here, so a broken one has to break the body as well. */
function asEvents(): EventFormat {
  return withEnd(new GeminiEvents(eventFraming()), {})
}

/** White space may stand anywhere in an array. */
function asArray(): EventFormat {
  const headers = ['content-type', 'application/json; charset=utf-8', 'x-accel-buffering', 'no']
  return withEnd(new GeminiEvents(arrayFraming()), { headers, silence: () => '\n' })
}

function withEnd(events: GeminiEvents, more: Partial<EventFormat>): EventFormat {
  return {
    chunks: (chunks) => events.chunks(chunks),
    end: () => events.end(),
    failure: (failure) => events.failure(failure),
    endsFailuresAbruptly: true,
    ...more,
  }
}

function prepare(request: GeminiRequest, reply: FastifyReply, services: HttpServices, stream: boolean) {
  const body = request.body.value
  const model = modelIn(request, services.calls)
  const targets = targetFormatsOf({ ...body, model, dialect: 'gemini' }, request.caller, services.calls)
  const input = { request: toChat(body, { model, stream }, targets), native: nativeAsk(body, request) }
  const issues = chatIssues(input.request)
  if (issues.length > 0) throw validationProblem(issues)
  const open = openReply(request, reply, services, { endpoint: 'chat', format: 'gemini' })
  labelAs(open, { ...body, model })
  return { input, open }
}

const CACHE_AND_UPLOAD = 'A cache of Google cannot be used with a file that was uploaded to this gateway'

/** Only the gateway knows its uploaded files, so a request that names one has to be translated. */
function nativeAsk(body: GenerateContentRequest, request: GeminiRequest): NativeAsk {
  // What a cache has is a part of the prompt.
  const cached = fieldsOf(body).cachedContent == null ? [] : [{ field: 'cachedContent' }]
  const isStale = namesUpload(body)
  if (isStale && cached.length > 0) throw validationProblem([valueError(['body', 'cachedContent'], CACHE_AND_UPLOAD)])
  const { text, outline, repeated } = request.body
  const untranslatable = [...ownToolNames(body).map((name) => ({ field: `tools.${name}` })), ...cached]
  return {
    format: 'gemini',
    body,
    isStale,
    // A text with a repeated key would be read one way by the gateway and another way by the provider.
    write: (edit: Edit) => (repeated ? editValue(body, edit) : editText(text, outline, edit)),
    ...(untranslatable.length > 0 && { untranslatable }),
    noteLost: (notes, other) => noteLostFields(body, notes, other),
    fit: fitChat,
  }
}
