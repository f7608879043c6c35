import { clipped, type Loc } from '../../../base/schema/issue-messages.ts'

/** The position of a value, from the inside out. A linked list is cheap, and most positions are never reported. */
export type ValuePath = { before: ValuePath; key: string | number } | undefined

export function locOf(path: ValuePath): Loc {
  const loc: Loc = []
  for (let at = path; at; at = at.before) loc.push(typeof at.key === 'string' ? clipped(at.key) : at.key)
  return loc.reverse()
}

/** The position at the end of a path that starts at another position. */
export function valuePath(way: Loc, from?: ValuePath): ValuePath {
  return way.reduce<ValuePath>((before, key) => ({ before, key }), from)
}
