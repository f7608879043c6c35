/** One thing that was tried, and whether it went as it should. */
export type Line = { what: string; isRight: boolean; got: string }

/** Prints the line, and returns whether it is wrong. */
export function report({ what, isRight, got }: Line): boolean {
  console.log(`${isRight ? 'ok   ' : 'WRONG'} ${what}: ${got}`)
  return !isRight
}
