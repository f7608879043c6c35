import { type Fields, isRecord, textOf } from '../../../base/schema/record.ts'
import { withSignature } from './signatures.ts'
import type { WirePart } from './wire.ts'

// Parts that a chat message cannot express (code that Google ran, its result, the request and the result of a server tool)
// and what Google says about its sources travel through the caller as `provider_content`.

export const MAKER = 'gemini'

/** What Google says about the sources of an answer. It is for readers only. */
const METADATA = ['groundingMetadata', 'urlContextMetadata', 'citationMetadata'] as const

/** Later events of a stream replace what earlier ones said. */
export function noteMetadata(candidate: Fields, metadata: Fields): void {
  for (const name of METADATA) if (isRecord(candidate[name])) metadata[name] = candidate[name]
}

type Parts = { images: WirePart[]; calls: { id: string; part: WirePart }[] }

/** An earlier answer in its original order. What it does not mention comes last. */
export function inOrder(earlier: readonly Fields[], { images, calls }: Parts): WirePart[] {
  const remaining = new Map(calls.map(({ id, part }) => [id, part]))
  const pictures = [...images]
  const parts = earlier.flatMap(({ type, text, thoughtSignature, part, id }): WirePart[] => {
    if (type === 'signature') return [withSignature({ text: '' }, textOf(thoughtSignature))]
    if (type === 'text') return [withSignature({ text: textOf(text) }, textOf(thoughtSignature))]
    if (type === 'image') return pictures.splice(0, 1)
    if (type === 'part') return isRecord(part) ? [part as WirePart] : []
    const call = remaining.get(textOf(id))
    remaining.delete(textOf(id))
    return call ? [call] : []
  })
  return [...parts, ...pictures, ...remaining.values()]
}
