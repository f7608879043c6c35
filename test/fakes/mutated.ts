import fc from 'fast-check'
import { HOSTILE_VALUES } from './hostile-values.ts'

// JSON in which one value was replaced by another, as a careless or hostile provider might send it.

/** Changes one value somewhere in a JSON text. A text that is not JSON stays as it is. */
export const mutated: fc.Arbitrary<(text: string) => string> = fc
  .tuple(
    fc.nat(),
    fc.oneof(
      fc.jsonValue({ maxDepth: 1 }).map((value) => JSON.stringify(value)),
      fc.constantFrom(...HOSTILE_VALUES),
    ),
  )
  .map(
    ([place, value]) =>
      (text: string) =>
        withValueAt(text, place, value),
  )

/** Puts a value, which is a JSON text, into one of the places of a JSON text. The last place is the whole. */
export function withValueAt(text: string, place: number, value: string): string {
  const root = parsed(text)
  if (root === undefined) return text
  const places = placesIn(root)
  const chosen = places[place % (places.length + 1)]
  if (!chosen) return value
  chosen.holder[chosen.key] = MARK
  return JSON.stringify(root).replace(`"${MARK}"`, () => value)
}

/** How many places `withValueAt` tells apart. */
export function placesOf(text: string): number {
  return placesIn(parsed(text)).length + 1
}

/** Stands for the value while the rest is written, because the text of the value must not be read and written again. */
const MARK = 'the value of this place'

type Place = { holder: Record<string, unknown>; key: string }

function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Record<string, unknown>
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])])
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return
  }
}
