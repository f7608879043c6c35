import { setImmediate } from 'node:timers/promises'
import { MAX_BYTES } from './byte-pairs.ts'
import { bytesOf, type Vocabulary } from './vocabulary.ts'

/** A unit of a text's length has at most three bytes in UTF-8. */
const WINDOW_CHARS = Math.floor(MAX_BYTES / 3)
/** What stands at the end of a window may be read otherwise when more of the text is seen: a space more, a `'s`. */
const UNSURE_PIECES = 2
/** Who comes with a short text meanwhile waits about this long. */
const SLICE_MS = 20

/**
 * How many tokens the texts have together. A long one is looked at through a window, because patterns fail on runs of
 * millions; a run longer than the window may count one token more for each. Others have their turn in between.
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
  // The patterns leave nothing out; should one, then what it leaves is not looked at for ever.
  return { tokens, chars: chars || text.length }
}
