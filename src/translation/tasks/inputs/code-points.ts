/** Converts positions in code points, which some providers report, to positions in UTF-16 units. */
export function offsetsIn(text: string): (characters: number) => number {
  const places: number[] = []
  let offset = 0
  for (const character of text) {
    places.push(offset)
    offset += character.length
  }
  return (characters) => places[characters] ?? text.length
}
