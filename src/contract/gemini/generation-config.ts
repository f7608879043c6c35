import Type, { type TSchema } from '../../base/schema/type.ts'
import { freeObject, optional } from '../../base/schema/fields.ts'

const count = Type.Integer({ minimum: 1 })
const penalty = Type.Number({ minimum: -2, maximum: 2 })

/** The settings that the gateway reads. Others are passed to Google. */
const SETTINGS: Record<string, TSchema> = {
  temperature: optional(Type.Number({ minimum: 0, maximum: 2 }), 'Higher is more varied.'),
  topP: optional(Type.Number({ minimum: 0, maximum: 1 }), 'Choose only among the likeliest tokens.'),
  topK: optional(Type.Number({ minimum: 0 }), 'Choose only among this many tokens, if the model supports it.'),
  maxOutputTokens: optional(count, 'The maximum number of tokens to write.'),
  candidateCount: optional(Type.Integer({ minimum: 1, maximum: 8 }), 'How many answers to generate.'),
  stopSequences: optional(Type.Array(Type.String()), 'Texts at which to stop.'),
  seed: optional(Type.Integer(), 'The same seed gives the same answer, as far as the provider can.'),
  presencePenalty: optional(penalty, 'Above 0: move on to new subjects.'),
  frequencyPenalty: optional(penalty, 'Above 0: repeat the same words less.'),
  responseLogprobs: optional(Type.Boolean(), 'Return the probability of each token.'),
  logprobs: optional(Type.Integer({ minimum: 0, maximum: 20 }), 'How many likely tokens to list per position.'),
  responseMimeType: optional(Type.String(), '`application/json` for an answer in JSON.'),
  responseSchema: optional(freeObject(), "The schema of the answer, in Google's notation."),
  responseJsonSchema: optional(freeObject(), 'The schema of the answer, as JSON Schema.'),
  responseModalities: optional(Type.Array(Type.String()), 'The requested kinds of output.'),
  speechConfig: optional(freeObject(), 'The voice of audio answers.'),
  imageConfig: optional(freeObject(), 'Settings of models that generate images.'),
  thinkingConfig: optional(freeObject(), 'How much the model reasons, and whether it shows that.'),
}

export const GenerationConfig = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  title: 'GenerationConfig',
  description: 'How the model answers. Every name may also be in snake case.',
  properties: { ...SETTINGS, ...inSnakeCase(SETTINGS) },
  additionalProperties: true,
})

function inSnakeCase(settings: Record<string, TSchema>): Record<string, TSchema> {
  const entries = Object.entries(settings).filter(([name]) => /[A-Z]/.test(name))
  return Object.fromEntries(entries.map(([name, schema]) => [snakeCase(name), schema]))
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
