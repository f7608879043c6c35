import { setImmediate } from 'node:timers/promises'
import { MAX_BYTES } from './byte-pairs.ts'
import { bytesOf, type Vocabulary } from './vocabulary.ts'

/** A unit of a text's length has at most three bytes in UTF-8. */
const WINDOW_CHARS = Math.floor(MAX_BYTES / 3)
/** The end of a window may be split differently once more of the text is known: after a further space or a `'s`. */
const UNSURE_PIECES = 2
/** A short text that arrives meanwhile waits about this long. */
const SLICE_MS = 20

/**
 * Counts the tokens of all texts. A long text is read through a window, because patterns fail on runs of millions of
 * characters; a longer run may count one token more per window. Other texts get their turn in between.
 */
export async function countTexts(
  texts: readonly string[],
  vocabulary: Vocabulary,
  signal: AbortSignal,
): Promise<number> {
  let tokens = 0
  let until = performance.now() + SLICE_MS
  for (const text of texts) {
    for (let at = 0; at < text.length; ) {
      const end = Math.min(text.length, at + WINDOW_CHARS)
      const seen = countWindow(text.slice(at, end), end === text.length, vocabulary)
      tokens += seen.tokens
      at += seen.chars
      if (performance.now() < until) continue
      await setImmediate()
      signal.throwIfAborted()
      until = performance.now() + SLICE_MS
    }
  }
  return tokens
}

function countWindow(text: string, isLast: boolean, { pattern, pairs }: Vocabulary) {
  const found = text.match(pattern) ?? []
  const sure = isLast || found.length <= UNSURE_PIECES ? found.length : found.length - UNSURE_PIECES
  let tokens = 0
  let chars = 0
  for (let index = 0; index < sure; index++) {
    const piece = found[index]!
    tokens += pairs.count(bytesOf(piece))
    chars += piece.length
  }
  // The patterns match every character. If one did not, this prevents an endless loop.
  return { tokens, chars: chars || text.length }
}
