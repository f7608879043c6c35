import { randomInt } from 'node:crypto'
import { digestOfSecret } from '../people/secret.ts'

// The code that a person reads in a terminal and types into the page. Its letters form no words and are not mistaken for each other or
// for digits: no vowels, no Y.

const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8
const HALF = LENGTH / 2

export function newUserCode(): { code: string; digest: string } {
  const letters = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]!).join('')
  return { code: `${letters.slice(0, HALF)}-${letters.slice(HALF)}`, digest: digestOfUserCode(letters) }
}

/** The digest of what was typed, in any case, with or without a hyphen and spaces; undefined if it cannot be a code. */
export function readUserCode(typed: string): string | undefined {
  const letters = typed.toUpperCase().replaceAll(/[\s-]/g, '')
  return IS_CODE.test(letters) ? digestOfUserCode(letters) : undefined
}

const IS_CODE = new RegExp(`^[${LETTERS}]{${LENGTH}}$`)

function digestOfUserCode(letters: string): string {
  return digestOfSecret(`user code ${letters}`)
}
