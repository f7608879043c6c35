import type { EmbeddingsReply, EmbeddingsRequest } from '../../../contract/embeddings.ts'
import type { EmbedContentRequest } from '../../../contract/gemini/embed-content.ts'
import { problem } from '../../../contract/problems.ts'
import { type Loc, valueError } from '../../../base/schema/issue-messages.ts'
import { type Fields, listOf } from '../../../base/schema/record.ts'
import { elementsOf, fieldsOf } from './names.ts'
import { toNumber } from '../../../base/schema/to-primitive.ts'

/** What the requests of a batch have in common. */
const COMMON = ['taskType', 'title', 'outputDimensionality', 'autoTruncate'] as const

/** The contents of a batch as one request in our own format. `keepsOwn`: the provider understands Google's fields. */
export function toEmbeddings(
  requests: readonly EmbedContentRequest[],
  model: string,
  keepsOwn: boolean,
): EmbeddingsRequest {
  const all = requests.map(settingsOf)
  const different = all.findIndex((one) => COMMON.some((name) => one[name] !== all[0]![name]))
  if (different > 0) throw refused(['requests', different], 'All requests of a batch need the same settings')
  const { outputDimensionality, taskType, title, autoTruncate } = all[0]!
  return {
    model,
    input: requests.map(({ content }, at) => textIn(content, at)),
    ...(outputDimensionality != null && { dimensions: toNumber(outputDimensionality) }),
    ...(keepsOwn && withoutNulls({ task_type: taskType, title, autoTruncate })),
  }
}

/** The settings that only Google understands. */
export function ownSettings([first]: readonly EmbedContentRequest[]): string[] {
  const settings = first ? settingsOf(first) : {}
  return ['taskType', 'title', 'autoTruncate'].filter((name) => settings[name] != null)
}

/** Newer clients write the settings into an object of their own. */
function settingsOf(request: EmbedContentRequest): Fields {
  const fields = fieldsOf(request)
  return { ...fields, ...fieldsOf(fields.embedContentConfig) }
}

function textIn(content: unknown, at: number): string {
  const parts = elementsOf(fieldsOf(content).parts)
  const texts = parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
  if (texts.length < parts.length || texts.length === 0)
    throw refused(['requests', at, 'content'], 'Only text can be embedded here: send parts that have a `text` each')
  return texts.join('\n')
}

export function vectorsOf({ data }: EmbeddingsReply): { values: number[] }[] {
  return data.map(({ embedding }) => ({ values: listOf(embedding) as number[] }))
}

/** What both replies say beside their vectors. */
export function about({ usage, cost, provider }: EmbeddingsReply) {
  return { usageMetadata: { promptTokenCount: usage.prompt_tokens }, cost, provider }
}

function withoutNulls(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))
}

function refused(loc: Loc, msg: string) {
  return problem('validation_error', {
    message: `${loc.join('.')}: ${msg}`,
    param: loc.join('.'),
    detail: [valueError(['body', ...loc], msg)],
  })
}
