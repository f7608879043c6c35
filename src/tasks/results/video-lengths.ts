/** For providers that make films of a few lengths only: the next longer one is made and paid for, or the longest. */
export function nextLonger(requested: number, lengths: readonly number[]): number {
  return lengths.find((seconds) => seconds >= requested) ?? lengths.at(-1)!
}
