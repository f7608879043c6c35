import type { Fields } from '../schema/record.ts'

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
