import {
  type Answer,
  bytesIn,
  COUNTS,
  demand,
  type Fields,
  type ReceivedRequest,
  onlyKnown,
  SEAL,
  sse,
  alternatesRoles,
  type Wire,
} from './wire.ts'

type Part = {
  text?: string
  inlineData?: { mimeType: string; data: string }
  functionCall?: { id?: string; name: string }
  functionResponse?: { id?: string; name: string; response: { output?: string } }
  thoughtSignature?: string
}
type Body = Fields & { contents: { role?: string; parts: Part[] }[]; generationConfig?: Fields }

const PATH = /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent\?alt=sse)$/

export function gemini(key: string): Wire {
  return {
    hear({ path, headers, body }) {
      const [, model, method] = PATH.exec(path) ?? []
      if (!model || !method) return undefined
      demand(headers['x-goog-api-key'] === key, 'API key not valid. Please pass a valid API key.')
      return received(decodeURIComponent(model), method !== 'generateContent', body as Body)
    },
    whole: (answer, { model }) => reply(model, partsOf(answer), answer),
    frames: (answer, { model }) => {
      const parts = partsOf(answer)
      const spoken = answer.text.length > 0 ? [...parts.slice(0, -1), ...answer.text.map((text) => ({ text }))] : parts
      return [...spoken.map((part) => sse(reply(model, [part]))), sse(reply(model, [{ text: '' }], answer))]
    },
    failure: (code, message) => ({ error: { code, message, status: 'UNKNOWN_TO_THE_FAKE' } }),
    tooLong: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    broken: (message) => sse({ error: { code: 503, message, status: 'UNAVAILABLE' } }),
    contentType: 'text/event-stream',
  }
}

function received(model: string, stream: boolean, body: Body): ReceivedRequest {
  onlyKnown(
    body,
    'contents systemInstruction tools toolConfig generationConfig serviceTier safetySettings labels cachedContent',
  )
  const { contents, tools, systemInstruction, generationConfig = {} } = body
  alternatesRoles(
    contents.map(({ role = 'user' }) => role),
    'model',
  )
  const called = new Map(
    contents.flatMap(({ parts }) =>
      parts.flatMap(({ functionCall }) => (functionCall ? [[functionCall.id, functionCall.name]] : [])),
    ),
  )
  const thinks =
    (generationConfig.thinkingConfig as { includeThoughts?: boolean } | undefined)?.includeThoughts === true
  for (const { role, parts } of contents) if (role === 'model' && thinks) checkSeal(parts)
  const last = contents.at(-1)!.parts
  const results = last.flatMap(({ functionResponse }) => functionResponse ?? [])
  for (const { id, name } of results) demand(called.get(id) === name, 'functionResponse: no such functionCall')
  const declared =
    (tools as { functionDeclarations?: { name: string }[] }[] | undefined)?.[0]?.functionDeclarations ?? []
  return {
    model,
    stream,
    system: ((systemInstruction as { parts: Part[] } | undefined)?.parts ?? []).map(({ text }) => text).join(' '),
    text: last.map(({ text }) => text ?? '').join(''),
    images: last.flatMap(({ inlineData }) =>
      inlineData ? { type: inlineData.mimeType, bytes: bytesIn(inlineData.data) } : [],
    ),
    tools: declared.map(({ name }) => name),
    results: results.map(({ id, response }) => ({ id: id!, text: response.output ?? JSON.stringify(response) })),
    schema: generationConfig.responseJsonSchema,
    thinks,
  }
}

/** Checks that the first call of a step has the signature that it came with. */
function checkSeal(parts: Part[]): void {
  const call = parts.find(({ functionCall }) => functionCall)
  demand(!call || call.thoughtSignature === SEAL, 'Function call is missing a thought_signature')
}

/** A call has the signature of the thought before it. */
function partsOf({ thinking, text, calls }: Answer): Fields[] {
  return [
    ...(thinking ? [{ text: thinking, thought: true }] : []),
    ...(text.length > 0 ? [{ text: text.join('') }] : []),
    ...calls.map(({ id, name, input }, at) => {
      return { functionCall: { id, name, args: input }, ...(thinking && at === 0 && { thoughtSignature: SEAL }) }
    }),
  ]
}

/** With an answer, this is the last chunk, which has the usage. */
function reply(model: string, parts: Fields[], answer?: Answer): Fields {
  const { read, cached, written, thought } = COUNTS
  const reasoning = answer?.thinking ? thought : 0
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(answer && { finishReason: 'STOP' }) }],
    usageMetadata: answer
      ? {
          promptTokenCount: read,
          cachedContentTokenCount: cached,
          candidatesTokenCount: written - reasoning,
          ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
          totalTokenCount: read + written,
        }
      : { promptTokenCount: read, totalTokenCount: read },
    modelVersion: model,
    responseId: 'fake-reply',
  }
}
