type Meter = {
  /** Sold in pieces of so many. */
  step: number
  /** And at least so many. */
  least?: number
}

/** The characters of a text as a provider charges for them: a piece that is begun is paid for. */
export function billedCharacters(text: string, { step, least = step }: Meter): number {
  const characters = [...text].length
  return Math.max(least, Math.ceil(characters / step) * step)
}
