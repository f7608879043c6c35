import type { Check } from '../guarded-gateway.ts'

// Where text can be in a request, by the format of its client. Each place is what a request has beside its model.

type Place = {
  of: (text: string) => object
  only?: readonly Check[]
  /** No provider gets it, not even of the same format. */
  isDropped: boolean
}
export type Places = Readonly<Record<string, Place>>

/** Names of tools cannot have the characters of every forbidden word. */
const IN_NAMES: readonly Check[] = ['patterns', 'secrets', 'external', 'judge']
export const BASE64 = 'eA=='

type Written = Readonly<Record<string, (text: string) => object>>

export function placesOf(texts: Written, names: Written, dropped: Written = {}): Places {
  const all = { ...texts, ...dropped }
  const ofTexts = Object.entries(all).map(([place, of]): [string, Place] => [
    place,
    { of: (word) => of(`of ${word} x`), isDropped: place in dropped },
  ])
  const ofNames = Object.entries(names).map(([place, of]): [string, Place] => [
    place,
    { of, only: IN_NAMES, isDropped: false },
  ])
  return Object.fromEntries([...ofTexts, ...ofNames])
}

export const hello = { role: 'user', content: 'Hi' }
export const schemaWith = (text: string) => ({ type: 'object', properties: { a: { type: 'string', enum: [text] } } })
