import { HOSTILE_VALUES } from './hostile-values.ts'
import { placesOf, withValueAt } from './mutated.ts'
import { randomNumbers } from './random-numbers.ts'
import { sample } from '../soak/sample.ts'

// JSON texts in which one place has a hostile value: some of them, others in every run, or all of them under `npm run soak`.

/** A run with the seed that a failure names tries the same cases again. */
const SEED = Number(process.env.GATEHOUSE_SEED ?? Math.floor(Math.random() * 2 ** 31))
const random = randomNumbers(SEED)

/** `name` says what was changed, for the message of a failure. */
export type HostileCase = { text: string; name: string }

export function* hostileCases(text: string, few: number, all = Number.POSITIVE_INFINITY): Generator<HostileCase> {
  const count = placesOf(text) * HOSTILE_VALUES.length
  const wanted = sample(few, all)
  if (wanted >= count) for (let number = 0; number < count; number++) yield caseOf(text, number)
  else for (let made = 0; made < wanted; made++) yield caseOf(text, Math.floor(random() * count))
}

function caseOf(text: string, number: number): HostileCase {
  const place = Math.floor(number / HOSTILE_VALUES.length)
  const value = HOSTILE_VALUES[number % HOSTILE_VALUES.length]!
  const changed = withValueAt(text, place, value)
  return {
    text: changed,
    name: `GATEHOUSE_SEED=${SEED}, place ${place} of ${text.slice(0, 60)}… is ${value.slice(0, 60)}`,
  }
}
