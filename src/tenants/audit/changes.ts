import { isDeepStrictEqual } from 'node:util'

type Fields = Readonly<Record<string, unknown>>

/** The fields that differ, as they were and as they are. */
export function changedFields(before: Fields, after: Fields): { before: Fields; after: Fields } {
  const names = Object.keys(after).filter((name) => !isDeepStrictEqual(before[name] ?? null, after[name] ?? null))
  return { before: picked(before, names), after: picked(after, names) }
}

function picked(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, fields[name] ?? null]))
}
