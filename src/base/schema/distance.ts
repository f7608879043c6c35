/** Texts of this length are compared at most. */
export const MAX_COMPARED_CHARS = 100

// The rows are used again for every comparison, because one question compares a thousand names.
let above = new Uint8Array(MAX_COMPARED_CHARS + 1)
let line = new Uint8Array(MAX_COMPARED_CHARS + 1)

/**
 * How many characters have to be added, removed or replaced to turn one text into the other; undefined if there are more than
 * `max`. The work is the length of the texts times `max`, and much less for texts that have little in common.
 */
export function distanceWithin(one: string, other: string, max: number): number | undefined {
  if (Math.abs(one.length - other.length) > max) return undefined
  for (let column = 0; column <= other.length; column++) above[column] = Math.min(column, max + 1)
  for (let row = 1; row <= one.length; row++) {
    if (fillLine(one.charCodeAt(row - 1), row, other, max) > max) return undefined
    ;[above, line] = [line, above]
  }
  const distance = above[other.length]!
  return distance > max ? undefined : distance
}

/** Fills the part of the line that can matter, and returns its least value. */
function fillLine(char: number, row: number, other: string, max: number): number {
  const [from, to] = [Math.max(1, row - max), Math.min(other.length, row + max)]
  line[from - 1] = from === 1 ? Math.min(row, max + 1) : max + 1
  let least = line[from - 1]!
  for (let column = from; column <= to; column++) {
    const replaced = above[column - 1]! + (char === other.charCodeAt(column - 1) ? 0 : 1)
    const cost = Math.min(replaced, above[column]! + 1, line[column - 1]! + 1, max + 1)
    line[column] = cost
    if (cost < least) least = cost
  }
  if (to < other.length) line[to + 1] = max + 1
  return least
}
