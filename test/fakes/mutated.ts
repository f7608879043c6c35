import fc from 'fast-check'

// JSON in which one value was replaced by another, as a careless provider might send it.

/** Changes one value somewhere in a JSON text. A text that is not JSON stays as it is. */
export const mutated: fc.Arbitrary<(text: string) => string> = fc
  .tuple(fc.nat(), fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom('constructor', '__proto__', -1, '')))
  .map(([place, value]) => (text: string) => {
    try {
      return JSON.stringify(replaceAt(JSON.parse(text), place, value))
    } catch {
      return text
    }
  })

type Place = { holder: Record<string, unknown>; key: string }

function replaceAt(root: unknown, place: number, value: unknown): unknown {
  const places = placesIn(root)
  const chosen = places[place % (places.length + 1)]
  if (!chosen) return value
  chosen.holder[chosen.key] = value
  return root
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Record<string, unknown>
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])])
}
