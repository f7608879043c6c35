import fc from 'fast-check'

const LAST = 0x10_ffff
const SURROGATES = { first: 0xd800, count: 0x800 }

/** Like fast-check's unit `binary`, which takes a second to enumerate all of Unicode first. */
export const anyCharacter = fc
  .integer({ min: 0, max: LAST - SURROGATES.count })
  .map((code) => String.fromCodePoint(code < SURROGATES.first ? code : code + SURROGATES.count))
