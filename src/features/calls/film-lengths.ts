/** For providers that make films of a few lengths only: the next longer one is made and paid for, or the longest. */
export function nextLonger(asked: number, lengths: readonly number[]): number {
  return lengths.find((seconds) => seconds >= asked) ?? lengths.at(-1)!
}
