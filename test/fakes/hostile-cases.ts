import { sample } from '../soak/sample.ts'
import { HOSTILE_VALUES } from './hostile-values.ts'
import { placesOf, withValueAt } from './mutated.ts'
import { randomNumbers } from './random-numbers.ts'

// JSON texts in which one place has a hostile value: some of them, or many more under `npm run soak`, others in every run.

/** A run with the seed that a failure names tries the same cases again. */
const SEED = Number(process.env.GATEHOUSE_SEED ?? sample(1, Math.floor(Math.random() * 2 ** 31)))
const random = randomNumbers(SEED)

/** `name` says what was changed, for the message of a failure. */
export type HostileCase = { text: string; name: string }

export function* hostileCases(text: string, few: number, many = Number.POSITIVE_INFINITY): Generator<HostileCase> {
  const count = placesOf(text) * HOSTILE_VALUES.length
  const wanted = sample(few, many)
  if (wanted >= count) for (let number = 0; number < count; number++) yield caseOf(text, number)
  else for (let made = 0; made < wanted; made++) yield caseOf(text, Math.floor(random() * count))
}

/** This many at random, or all of them under `npm run soak`. */
export function picked<One>(all: readonly One[], few: number): readonly One[] {
  if (sample(few, all.length) >= all.length) return all
  return Array.from({ length: few }, () => all[Math.floor(random() * all.length)]!)
}

function caseOf(text: string, number: number): HostileCase {
  const place = Math.floor(number / HOSTILE_VALUES.length)
  const value = HOSTILE_VALUES[number % HOSTILE_VALUES.length]!
  const name = `GATEHOUSE_SEED=${SEED}, place ${place} of ${text.slice(0, 60)}… is ${value.slice(0, 60)}`
  return { text: withValueAt(text, place, value), name }
}
