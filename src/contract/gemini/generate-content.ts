import Type, { type Static } from '../../base/schema/type.ts'
import { freeObject, nullable, open, optional } from '../../base/schema/fields.ts'
import { GATEWAY_FIELDS } from '../chat.ts'
import { GenerationConfig } from './generation-config.ts'

// The Gemini format, as far as this gateway reads it. Fields that are not named here are passed to Google. Google also reads
// every name in snake case, and a single object where a list is expected; so does the gateway.

const count = Type.Integer({ minimum: 0 })

/** A list, or its only element. */
function several(element: ReturnType<typeof freeObject>, description: string, options = {}) {
  return Type.Union([Type.Array(element, options), element], { description })
}

const Part = freeObject({
  title: 'GeminiPart',
  description: 'One part: `text`, `inlineData`, `fileData`, `functionCall`, `functionResponse`, …',
})

const Content = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  title: 'GeminiContent',
  description: 'One turn of a conversation.',
  properties: {
    role: Type.Optional(Type.String({ description: '`user` or `model`.' })),
    parts: Type.Optional(several(Part, 'The parts of the turn.')),
  },
  ...open,
})

const instruction = optional(Type.Union([Content, Type.String()]), 'Instructions: text only.')
const tools = optional(several(freeObject(), 'Tools.'), 'Functions as `functionDeclarations`, and tools of Google.')

const fields = {
  contents: several(Content, 'The conversation so far.', { minItems: 1 }),
  systemInstruction: instruction,
  system_instruction: instruction,
  tools,
  toolConfig: optional(freeObject(), 'How the model may choose among the functions.'),
  tool_config: optional(freeObject(), 'The same as `toolConfig`.'),
  generationConfig: optional(GenerationConfig, 'How the model answers: limits, sampling, schema, reasoning.'),
  generation_config: optional(GenerationConfig, 'The same as `generationConfig`.'),
  safetySettings: optional(Type.Array(freeObject()), 'What Google filters. Other providers do not get it.'),
  safety_settings: optional(Type.Array(freeObject()), 'The same as `safetySettings`.'),
}

export const GenerateContentRequest = Type.Object(
  { ...fields, ...GATEWAY_FIELDS },
  {
    title: 'GenerateContentRequest',
    description: 'A call of a chat model in the Gemini format. The path names the model.',
    ...open,
  },
)
export type GenerateContentRequest = Static<typeof GenerateContentRequest>

const UsageMetadata = Type.Object(
  {
    promptTokenCount: Type.Optional(Type.Integer({ minimum: 0, description: 'Tokens read, cached ones included.' })),
    candidatesTokenCount: optional(count, 'Tokens written, without reasoning.'),
    thoughtsTokenCount: optional(count, 'Tokens of reasoning.'),
    cachedContentTokenCount: optional(count, 'Read from a cache.'),
    totalTokenCount: optional(count, 'The total.'),
  },
  { title: 'GeminiUsage', description: 'Tokens used.', ...open },
)

const metadata = Type.Optional(
  freeObject({ description: 'Attempts, notes, hooks and timings; with the header `x-gatehouse-metadata: enabled`.' }),
)

export const GenerateContentReply = Type.Object(
  {
    candidates: Type.Optional(Type.Array(freeObject(), { description: 'The answers, each with `content.parts`.' })),
    promptFeedback: Type.Optional(freeObject({ description: 'Why the prompt was refused.' })),
    usageMetadata: Type.Optional(UsageMetadata),
    modelVersion: Type.Optional(
      Type.String({
        description: 'The model that answered, as `provider/model`; answers of Google have its own name.',
      }),
    ),
    responseId: Type.Optional(Type.String({ description: 'Identifies this answer.' })),
    cost: Type.Optional(nullable(Type.Number(), 'What the call cost, in USD. Null if the price is not known.')),
    provider: Type.Optional(Type.String({ description: 'The provider that answered.' })),
    gatehouse: metadata,
  },
  { title: 'GenerateContentReply', description: 'The answer of a chat model in the Gemini format.', ...open },
)
export type GenerateContentReply = Static<typeof GenerateContentReply>

export const GeminiCountRequest = Type.Object(
  {
    contents: Type.Optional(several(Content, 'The conversation to count.')),
    generateContentRequest: optional(freeObject(), 'A whole request to count, instead of `contents`.'),
    generate_content_request: optional(freeObject(), 'The same as `generateContentRequest`.'),
    systemInstruction: instruction,
    system_instruction: instruction,
    tools,
  },
  {
    title: 'GeminiCountRequest',
    description: 'A request in the Gemini format, which is counted and not run.',
    ...open,
  },
)
export type GeminiCountRequest = Static<typeof GeminiCountRequest>

export const GeminiCountReply = Type.Object(
  { totalTokens: Type.Integer({ minimum: 0, description: 'The number of tokens that the model would read.' }) },
  { title: 'GeminiCountReply', description: 'The size of the request.', ...open },
)

export const GeminiError = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.Union([Type.Integer(), Type.String()], { description: 'The HTTP status.' }),
        message: Type.String({ description: 'A message for people.' }),
        status: Type.Optional(Type.String({ description: 'The group of the error, such as `INVALID_ARGUMENT`.' })),
        details: Type.Optional(Type.Array(freeObject(), { description: 'More about the error, by `@type`.' })),
      },
      { description: 'The error.', ...open },
    ),
  },
  { title: 'GeminiError', description: 'The body of an error in the Gemini format.', ...open },
)

export const GeminiEvent = Type.Union([GenerateContentReply, GeminiError], {
  title: 'GeminiEvent',
  description: 'One event of a streamed answer: its next parts, or the reason why the stream broke.',
})
