/** Some providers count characters where our texts count halves of them: gives the place in the text of the n-th character. */
export function placesIn(text: string): (characters: number) => number {
  const places: number[] = []
  let place = 0
  for (const character of text) {
    places.push(place)
    place += character.length
  }
  return (characters) => places[characters] ?? text.length
}
