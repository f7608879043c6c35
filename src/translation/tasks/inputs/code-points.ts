/** Converts positions in code points, which some providers report, to positions in UTF-16 units. */
export function offsetsIn(text: string): (characters: number) => number {
  const places: number[] = []
  let place = 0
  for (const character of text) {
    places.push(place)
    place += character.length
  }
  return (characters) => places[characters] ?? text.length
}
