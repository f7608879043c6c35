import Type, { type Static } from '../schema/type.ts'
import { freeObject, optional } from '../schema/fields.ts'
import { type Fields, isRecord, recordsIn } from '../schema/record.ts'

export const ProviderContent = Type.Object(
  {
    type: Type.String({
      description:
        'Whose blocks these are: `anthropic`, `gemini`, `bedrock`, `cohere`, `mistral`, `responses` or `parts`.',
    }),
    blocks: Type.Array(freeObject(), {
      description:
        'The parts of the answer, in their order. Blocks that the chat format cannot express are as the provider sent ' +
        'them. A `text` block names a range of `content`; calls and reasoning stand for what other fields carry.',
    }),
    container: optional(
      freeObject(),
      'Where the provider ran code: its `id` and `expires_at`. The next request uses it again.',
    ),
    omitted: optional(Type.Array(freeObject()), 'What is not carried, and why. Then the blocks are not sent back.'),
  },
  {
    title: 'ProviderContent',
    description:
      'What the provider did by itself while it answered: web searches, code, MCP calls, produced files. Send it back ' +
      'with the message, unchanged: the same provider gets its blocks in their order, other providers do not.',
    additionalProperties: true,
  },
)
export type ProviderContent = Static<typeof ProviderContent>

type Carrier = { reasoning_details?: unknown; provider_content?: unknown }

/** Signed reasoning and the provider's content in one list, for places that have room for one list only. */
export function packContent({ reasoning_details, provider_content }: Carrier): Fields[] {
  const details = recordsIn(reasoning_details)
  return isRecord(provider_content) ? [...details, { type: PACKED, provider_content }] : details
}

export function unpackContent(packed: readonly Fields[]): { reasoning_details?: Fields[]; provider_content?: Fields } {
  const details = packed.filter(({ type }) => type !== PACKED)
  const provider_content = packed.find(({ type }) => type === PACKED)?.provider_content
  return {
    ...(details.length > 0 && { reasoning_details: details }),
    ...(isRecord(provider_content) && { provider_content }),
  }
}

const PACKED = 'gatehouse.provider_content'

// A stream sends the whole content once, at its end, because clients differ in how they join lists. Formats that have items
// of their own for these blocks need each block in its place, so it also travels with the chunk, under a symbol.

const BLOCKS = Symbol('blocks of the provider')

export type PlacedBlock = { type: string; block: Fields }

export function placeBlock<Delta extends object>(delta: Delta, placed: PlacedBlock): Delta {
  return Object.assign(delta, { [BLOCKS]: [...placedBlocks(delta), placed] })
}

export function placedBlocks(delta: object): readonly PlacedBlock[] {
  return (delta as { [BLOCKS]?: readonly PlacedBlock[] })[BLOCKS] ?? NO_BLOCKS
}

const NO_BLOCKS: readonly PlacedBlock[] = []

export function withoutPlacedBlocks<Delta extends object>(delta: Delta): Delta {
  const { [BLOCKS]: _, ...rest } = delta as Delta & { [BLOCKS]?: unknown }
  return rest as Delta
}
