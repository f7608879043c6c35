/** The place of a word in a text, if the word really begins where the provider says; otherwise the place is unknown. */
export function offsetsOfWord(text: string, word: string, begin: number) {
  const isThere = word !== '' && begin >= 0 && text.startsWith(word, begin)
  return isThere ? { begin_offset: begin, end_offset: begin + word.length } : NOWHERE
}

const NOWHERE = { begin_offset: null, end_offset: null }

type WithOffset = { begin_offset: number | null }

/** In the order of the text; what has no place comes last. */
export function byOffset(one: WithOffset, other: WithOffset): number {
  return (one.begin_offset ?? Number.MAX_SAFE_INTEGER) - (other.begin_offset ?? Number.MAX_SAFE_INTEGER)
}
