import { Unreadable } from '../pool/unreadable.ts'

/** More than any model reads at once. */
const MAX_CHARACTERS = 4_000_000

/** Counts every piece of text of a document, and refuses a document with too much text. */
export type TextLimit = (characters: number) => void

/** One counter for all pages of a document: a few bytes can reference the same text any number of times. */
export function textLimit(): TextLimit {
  let length = 0
  return (characters) => {
    length += characters
    if (length > MAX_CHARACTERS)
      throw new Unreadable(`This document contains more than ${MAX_CHARACTERS / 1_000_000} million characters`)
  }
}
