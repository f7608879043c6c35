import { Unreadable } from './unreadable.ts'

/** More than any model reads at once. */
const MAX_CHARACTERS = 4_000_000

/** Told of every piece of text that one document gives, it refuses the document that gives too much. */
export type TextLimit = (characters: number) => void

/** One for all pages of a document: a few bytes can name the same text as often as they like. */
export function textLimit(): TextLimit {
  let length = 0
  return (characters) => {
    length += characters
    if (length > MAX_CHARACTERS)
      throw new Unreadable(`This document holds more than ${MAX_CHARACTERS / 1_000_000} million characters`)
  }
}
