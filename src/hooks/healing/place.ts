import { clipped, type Loc } from '../../schema/issue-messages.ts'

/** Where a value stands, from the inside out: most places are passed and never told. */
export type Place = { before: Place; key: string | number } | undefined

export function locOf(place: Place): Loc {
  const loc: Loc = []
  for (let at = place; at; at = at.before) loc.push(typeof at.key === 'string' ? clipped(at.key) : at.key)
  return loc.reverse()
}

/** The place that a way leads to from another. */
export function placeOf(way: Loc, from?: Place): Place {
  return way.reduce<Place>((before, key) => ({ before, key }), from)
}
