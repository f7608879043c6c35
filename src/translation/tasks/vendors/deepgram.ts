import type { Fields } from '../http/payload.ts'

// https://developers.deepgram.com/reference/authentication

export const DEEPGRAM_PROOF = { headers: { authorization: 'Token {secret}' } }

/** Deepgram's options are a query string, in which a list repeats its name. */
export function deepgramQuery(fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) => {
    const options = [value].flat().filter((one) => one !== undefined && one !== null)
    return options.map((one): [string, string] => [name, String(one)])
  })
  return `?${new URLSearchParams(pairs)}`
}
