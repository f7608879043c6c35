// The names of OpenTelemetry's semantic conventions, in one table with a column for each version. The conventions for
// generative AI are still in development: 1.41 is the last version that was published with the others, `next` is what their
// new home has agreed on since then.

import { field, utf8 } from './otlp/protobuf.ts'

type Conventions = '1.41' | 'next'

/** An attribute, with the type that its value always has: a whole number of a `double` is still a double. */
export type Attribute = {
  readonly name: string
  readonly type: AttributeType
  /** How it begins in OTLP's JSON and in its protobuf: that is the same in every span. */
  readonly json: string
  readonly protobuf: string
}
type AttributeType = keyof typeof JSON_NAMES

/** The member of OTLP's `AnyValue` for each type. */
const JSON_NAMES = {
  string: 'stringValue',
  /** A text that is not cut. */
  'long-string': 'stringValue',
  int: 'intValue',
  double: 'doubleValue',
  bool: 'boolValue',
  strings: 'arrayValue',
} as const

export function attribute(type: AttributeType, name: string): Attribute {
  const json = `{"key":${JSON.stringify(name)},"value":{"${JSON_NAMES[type]}":`
  return { name, type, json, protobuf: field(1, utf8(name)) }
}

type Row = { readonly [Version in Conventions]: Attribute | null }

function same(type: AttributeType, name: string): Row {
  const both = attribute(type, name)
  return { '1.41': both, next: both }
}

function onlyNext(type: AttributeType, name: string): Row {
  return { '1.41': null, next: attribute(type, name) }
}

const ATTRIBUTES = {
  // Stable: HTTP, addresses, errors.
  method: same('string', 'http.request.method'),
  route: same('string', 'http.route'),
  httpStatus: same('int', 'http.response.status_code'),
  serverAddress: same('string', 'server.address'),
  serverPort: same('int', 'server.port'),
  errorType: same('string', 'error.type'),
  userId: same('string', 'user.id'),
  sessionId: same('string', 'session.id'),
  // In development: messages between processes, for jobs.
  messagingSystem: same('string', 'messaging.system'),
  messagingOperation: same('string', 'messaging.operation.name'),
  messagingType: same('string', 'messaging.operation.type'),
  messagingDestination: same('string', 'messaging.destination.name'),
  messageId: same('string', 'messaging.message.id'),
  // In development: generative AI.
  operation: same('string', 'gen_ai.operation.name'),
  provider: same('string', 'gen_ai.provider.name'),
  requestModel: same('string', 'gen_ai.request.model'),
  maxTokens: same('int', 'gen_ai.request.max_tokens'),
  temperature: same('double', 'gen_ai.request.temperature'),
  topP: same('double', 'gen_ai.request.top_p'),
  topK: { '1.41': attribute('double', 'gen_ai.request.top_k'), next: attribute('int', 'gen_ai.request.top_k') },
  seed: same('int', 'gen_ai.request.seed'),
  frequencyPenalty: same('double', 'gen_ai.request.frequency_penalty'),
  presencePenalty: same('double', 'gen_ai.request.presence_penalty'),
  stopSequences: same('strings', 'gen_ai.request.stop_sequences'),
  choices: same('int', 'gen_ai.request.choice.count'),
  isStream: same('bool', 'gen_ai.request.stream'),
  reasoningLevel: onlyNext('string', 'gen_ai.request.reasoning.level'),
  previousResponse: onlyNext('string', 'gen_ai.request.previous_response.id'),
  outputType: same('string', 'gen_ai.output.type'),
  conversation: same('string', 'gen_ai.conversation.id'),
  responseId: same('string', 'gen_ai.response.id'),
  responseModel: same('string', 'gen_ai.response.model'),
  finishReasons: same('strings', 'gen_ai.response.finish_reasons'),
  firstChunk: same('double', 'gen_ai.response.time_to_first_chunk'),
  inputTokens: same('int', 'gen_ai.usage.input_tokens'),
  outputTokens: same('int', 'gen_ai.usage.output_tokens'),
  cacheRead: same('int', 'gen_ai.usage.cache_read.input_tokens'),
  cacheWrite: {
    '1.41': attribute('int', 'gen_ai.usage.cache_creation.input_tokens'),
    next: attribute('int', 'gen_ai.usage.cache_write.input_tokens'),
  },
  reasoningTokens: same('int', 'gen_ai.usage.reasoning.output_tokens'),
  // Only of projects that want it.
  systemInstructions: same('long-string', 'gen_ai.system_instructions'),
  inputMessages: same('long-string', 'gen_ai.input.messages'),
  outputMessages: same('long-string', 'gen_ai.output.messages'),
  // Not in the conventions: what Langfuse and, in the words of OpenInference, Phoenix read. Only the span of the attempt that
  // answered has the cost, because both add up the costs of a trace.
  usageCost: same('double', 'gen_ai.usage.cost'),
  inferenceCost: same('double', 'llm.cost.total'),
  traceTags: same('strings', 'langfuse.trace.tags'),
  inferenceTags: same('strings', 'tag.tags'),
  // Ours, as long as the conventions have nothing for gateways.
  requestId: same('string', 'gatehouse.request_id'),
  keyId: same('string', 'gatehouse.key.id'),
  project: same('string', 'gatehouse.project'),
  organization: same('string', 'gatehouse.organization'),
  accountUser: same('string', 'gatehouse.user.id'),
  requestedModel: same('string', 'gatehouse.requested_model'),
  answeringModel: same('string', 'gatehouse.model'),
  attempts: same('int', 'gatehouse.attempts'),
  code: same('string', 'gatehouse.error.code'),
  cost: same('double', 'gatehouse.cost_usd'),
  isEstimated: same('bool', 'gatehouse.cost_estimated'),
  priceVersion: same('string', 'gatehouse.price_version'),
  hooks: same('strings', 'gatehouse.hooks'),
  guardrails: same('strings', 'gatehouse.guardrails'),
  limits: same('strings', 'gatehouse.budget'),
  cache: same('string', 'gatehouse.cache'),
  attempt: same('int', 'gatehouse.attempt'),
  outcome: same('string', 'gatehouse.outcome'),
  fallbackFrom: same('string', 'gatehouse.fallback_from'),
  credential: same('string', 'gatehouse.credential'),
  upstreamId: same('string', 'gatehouse.upstream_request_id'),
  omittedMessages: same('int', 'gatehouse.content.omitted_messages'),
  jobAttempt: same('int', 'gatehouse.job.attempt'),
  delivery: same('string', 'gatehouse.delivery.id'),
} satisfies Record<string, Row>

const METRICS = {
  duration: { '1.41': 'gen_ai.client.operation.duration', next: 'gen_ai.client.inference.duration' },
  firstChunk: {
    '1.41': 'gen_ai.client.operation.time_to_first_chunk',
    next: 'gen_ai.client.inference.time_to_first_chunk',
  },
  outputChunk: {
    '1.41': 'gen_ai.client.operation.time_per_output_chunk',
    next: 'gen_ai.client.inference.time_per_output_chunk',
  },
  /** One histogram with `gen_ai.token.type` then, counters now. */
  tokenUsage: { '1.41': 'gen_ai.client.token.usage', next: null },
  inputTokens: { '1.41': null, next: 'gen_ai.client.inference.usage.input_tokens' },
  outputTokens: { '1.41': null, next: 'gen_ai.client.inference.usage.output_tokens' },
} satisfies Record<string, { readonly [Version in Conventions]: string | null }>

const SCHEMA_URLS: Readonly<Record<Conventions, string>> = {
  '1.41': 'https://opentelemetry.io/schemas/1.41.0',
  next: 'https://opentelemetry.io/schemas/gen-ai/1.42.0',
}

/** One column of the table. What a version does not have is null. */
export type Names = {
  readonly schemaUrl: string
  readonly attributes: { readonly [Name in keyof typeof ATTRIBUTES]: Attribute | null }
  readonly metrics: { readonly [Name in keyof typeof METRICS]: string | null }
}

export function namesOf(conventions: Conventions): Names {
  return {
    schemaUrl: SCHEMA_URLS[conventions],
    attributes: column(ATTRIBUTES, conventions) as Names['attributes'],
    metrics: column(METRICS, conventions) as Names['metrics'],
  }
}

function column(table: Record<string, Record<Conventions, unknown>>, conventions: Conventions) {
  return Object.fromEntries(Object.entries(table).map(([name, row]) => [name, row[conventions]]))
}
