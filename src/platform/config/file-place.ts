/** The place of a character as editors show it. Both numbers begin with 1. */
export function positionIn(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n')
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`
}
