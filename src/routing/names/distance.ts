/**
 * How many characters have to be added, removed or replaced to turn one text into the other; undefined if there are more than
 * `max`. The work is the length of the texts times `max`.
 */
export function distanceWithin(one: string, other: string, max: number): number | undefined {
  if (Math.abs(one.length - other.length) > max) return undefined
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const line = new Array<number>(other.length + 1).fill(max + 1)
    const [from, to] = [Math.max(0, row - max), Math.min(other.length, row + max)]
    if (from === 0) line[0] = row
    let least = from === 0 ? row : max + 1
    for (let column = Math.max(1, from); column <= to; column++) {
      const replaced = above[column - 1]! + (one[row - 1] === other[column - 1] ? 0 : 1)
      line[column] = Math.min(replaced, above[column]! + 1, line[column - 1]! + 1)
      if (line[column]! < least) least = line[column]!
    }
    if (least > max) return undefined
    above = line
  }
  const distance = above[other.length]!
  return distance > max ? undefined : distance
}
