import type { ImageUsage } from '../image-codec.ts'
import { CountReader } from '../answer/count-reader.ts'
import { countOf, type Fields, isRecord } from '../../../base/schema/record.ts'

/** Undefined if a count cannot be read. */
export function readUsage(usage: Fields): ImageUsage | undefined {
  const counts = new CountReader()
  const input_tokens = counts.read(usage.input_tokens)
  const output_tokens = counts.read(usage.output_tokens)
  const total_tokens = countOf(usage.total_tokens) || input_tokens + output_tokens
  const input = kindsOf(usage.input_tokens_details, counts)
  const output = kindsOf(usage.output_tokens_details, counts)
  if (!counts.isSound) return undefined
  return {
    input_tokens,
    output_tokens,
    total_tokens,
    ...(input && { input_tokens_details: input }),
    ...(output && { output_tokens_details: output }),
  }
}

function kindsOf(details: unknown, counts: CountReader) {
  if (!isRecord(details)) return undefined
  return { text_tokens: counts.read(details.text_tokens), image_tokens: counts.read(details.image_tokens) }
}

/** The total usage of several calls. */
export function addUsage(one: ImageUsage, other: ImageUsage): ImageUsage {
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    total_tokens: one.total_tokens + other.total_tokens,
    ...addedKinds('input_tokens_details', one, other),
    ...addedKinds('output_tokens_details', one, other),
  }
}

type Details = 'input_tokens_details' | 'output_tokens_details'

function addedKinds(name: Details, { [name]: one }: ImageUsage, { [name]: other }: ImageUsage) {
  if (!one || !other) return {}
  const text_tokens = one.text_tokens + other.text_tokens
  return { [name]: { text_tokens, image_tokens: one.image_tokens + other.image_tokens } }
}
