import type { ImageUsage } from '../image-codec.ts'
import { countOf, type Fields, isRecord } from '../../schema/record.ts'

export function readUsage(usage: Fields): ImageUsage {
  const input_tokens = countOf(usage.input_tokens)
  const output_tokens = countOf(usage.output_tokens)
  const total_tokens = countOf(usage.total_tokens) || input_tokens + output_tokens
  const [input, output] = [kindsOf(usage.input_tokens_details), kindsOf(usage.output_tokens_details)]
  return {
    input_tokens,
    output_tokens,
    total_tokens,
    ...(input && { input_tokens_details: input }),
    ...(output && { output_tokens_details: output }),
  }
}

function kindsOf(details: unknown) {
  if (!isRecord(details)) return undefined
  return { text_tokens: countOf(details.text_tokens), image_tokens: countOf(details.image_tokens) }
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
