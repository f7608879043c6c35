import type { Route } from '../route.ts'

/** Longer paths are not compared. */
const MAX_CHARS = 100
const MAX_SEGMENTS = 8
/** Mistakes in one word: a letter too many, too few, or another one. */
const MAX_MISTAKES = 2

/**
 * The path that the client probably meant: the one with the most equal segments at its end, or the one that differs in a few
 * letters.
 */
export function rightPath(wrong: string, routes: readonly Route[]): string | undefined {
  if (wrong.length > MAX_CHARS || wrong.split('/').length > MAX_SEGMENTS) return undefined
  let best: { path: string; score: number } | undefined
  for (const { path } of routes) {
    const score = likeness(wrong.toLowerCase(), path)
    if (score > (best?.score ?? 0)) best = { path, score }
  }
  return best?.path
}

/** 0 if they have nothing in common. Equal ends count more than a word with mistakes. */
function likeness(wrong: string, path: string): number {
  const [ours, theirs] = [segmentsOf(path), segmentsOf(wrong)]
  let equal = 0
  while (equal < Math.min(ours.length, theirs.length) && ours.at(-1 - equal) === theirs.at(-1 - equal)) equal++
  if (equal > 0 && (equal === ours.length || equal === theirs.length || isVersion(ours, equal)))
    return 10 * equal - Math.abs(ours.length - theirs.length)
  return isAlmost(ours, theirs) ? 5 : 0
}

/** Everything that is left of the right path is its version. */
function isVersion(ours: readonly string[], equal: number): boolean {
  return ours.slice(0, -equal).every((segment) => /^v\d/.test(segment))
}

function isAlmost(ours: readonly string[], theirs: readonly string[]): boolean {
  if (ours.length !== theirs.length) return false
  const different = ours.flatMap((segment, at) => (segment === theirs[at] ? [] : [[segment, theirs[at]!] as const]))
  return different.length === 1 && isNear(...different[0]!)
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}

/** Whether one word becomes the other with a few changes of a letter. */
function isNear(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > MAX_MISTAKES || one.length <= MAX_MISTAKES) return false
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1]
    for (let to = 0; to < other.length; to++)
      next.push(Math.min(row[to]! + (one[at] === other[to] ? 0 : 1), row[to + 1]! + 1, next[to]! + 1))
    row = next
  }
  return row.at(-1)! <= MAX_MISTAKES
}
