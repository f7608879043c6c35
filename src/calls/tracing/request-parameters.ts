import type { Names } from '../../platform/telemetry/semconv.ts'
import type { AttributeList, AttributeValue } from '../../platform/telemetry/otlp/span.ts'
import { isRecord } from '../../base/schema/record.ts'

// The settings of a request, in any format. Nothing of its content is read: no message, no tool, no file.

const MAX_STOPS = 16

type Fields = Readonly<Record<string, unknown>>

/** Adds what the request asks the model for. Formats have different names for the same setting. */
export function addParameters(list: AttributeList, body: unknown, { attributes: names }: Names): void {
  if (!isRecord(body)) return
  const own: Fields = isRecord(body.generationConfig) ? { ...body, ...body.generationConfig } : body
  list
    .add(names.maxTokens, numberIn(own, 'max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'))
    .add(names.temperature, numberIn(own, 'temperature'))
    .add(names.topP, numberIn(own, 'top_p', 'topP'))
    .add(names.topK, numberIn(own, 'top_k', 'topK'))
    .add(names.seed, numberIn(own, 'seed'))
    .add(names.frequencyPenalty, numberIn(own, 'frequency_penalty', 'frequencyPenalty'))
    .add(names.presencePenalty, numberIn(own, 'presence_penalty', 'presencePenalty'))
    .add(names.stopSequences, stopsIn(own))
    .add(names.choices, choicesIn(own))
    .add(names.reasoningLevel, levelIn(own))
    .add(names.previousResponse, textIn(own.previous_response_id))
    .add(names.outputType, outputTypeIn(own))
}

/** The conversation that a request belongs to, as far as its format has any. */
export function conversationIn(body: unknown): string | null {
  if (!isRecord(body)) return null
  const { conversation } = body
  return textIn(isRecord(conversation) ? conversation.id : conversation)
}

function numberIn(body: Fields, ...names: readonly string[]): number | null {
  for (const name of names) if (typeof body[name] === 'number') return body[name]
  return null
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

function stopsIn({ stop, stop_sequences, stopSequences }: Fields): AttributeValue | null {
  const stops = stop ?? stop_sequences ?? stopSequences
  const list = Array.isArray(stops) ? stops : [stops]
  const texts = list.filter((one): one is string => typeof one === 'string').slice(0, MAX_STOPS)
  return texts.length > 0 ? texts : null
}

/** Nearly every call asks for one choice, so that is left out. */
function choicesIn(body: Fields): number | null {
  const n = numberIn(body, 'n', 'candidateCount')
  return n === 1 ? null : n
}

function levelIn({ reasoning_effort, reasoning }: Fields): string | null {
  return textIn(reasoning_effort ?? (isRecord(reasoning) ? reasoning.effort : undefined))
}

function outputTypeIn({ response_format, text }: Fields): string | null {
  const format = isRecord(response_format) ? response_format : isRecord(text) ? text.format : undefined
  const type = isRecord(format) ? format.type : undefined
  if (type === 'text') return 'text'
  return type === 'json_schema' || type === 'json_object' ? 'json' : null
}
