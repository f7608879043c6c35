/** For all quotations of an answer together: thousands of sources may cite the same long text. */
const MAX_TOTAL_CHARS = 200_000

/** Shortens a quotation. */
export type Quote = (text: string) => string

/** For one answer. `max` is for each quotation. */
export function newQuote(max = Number.POSITIVE_INFINITY): Quote {
  let remaining = MAX_TOTAL_CHARS
  return (text) => {
    const quoted = text.slice(0, Math.min(max, remaining))
    remaining -= quoted.length
    return quoted
  }
}
