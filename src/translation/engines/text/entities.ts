import { mergedSpans, peopleIn, readEnglish, taggedSpans } from './tagged-spans.ts'

/** People, organisations, places, dates and amounts of money, recognized by English grammar and name lists. */
export function findEntities({ text }: { text: string }) {
  const read = readEnglish(text)
  const found = mergedSpans(
    peopleIn(text, read, 'PERSON'),
    taggedSpans(text, read.organizations(), 'ORGANIZATION'),
    taggedSpans(text, read.places(), 'LOCATION'),
    taggedSpans(text, read.money(), 'MONEY'),
    taggedSpans(text, read.match('#Date+'), 'DATE'),
  )
  return found.map((one) => ({ ...one, text: text.slice(one.start, one.end) }))
}
