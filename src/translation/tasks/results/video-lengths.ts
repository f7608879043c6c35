/** For providers with a few fixed lengths: the next longer one is made and billed, or the longest. */
export function nextLonger(requested: number, lengths: readonly number[]): number {
  return lengths.find((seconds) => seconds >= requested) ?? lengths.at(-1)!
}
