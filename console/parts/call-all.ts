/** One function that calls these, in their order. */
export function callAll(...steps: readonly (() => void)[]): () => void {
  return () => {
    for (const step of steps) step()
  }
}
