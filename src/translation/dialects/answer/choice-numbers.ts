import { refuseTooManyChoices } from '../answer-problems.ts'

/**
 * Numbers the choices of a stream. The other formats have only the choice 0, so some choice has to be it: hosts count from 1,
 * leave numbers out, or send any number for their only choice. A number that was asked for stays what it is.
 */
export class ChoiceNumbers {
  readonly #requested: number
  readonly #byHost = new Map<number, number>()
  readonly #taken = new Set<number>()

  constructor(requested: number) {
    this.#requested = requested
  }

  of(host: number): number {
    const existing = this.#byHost.get(host)
    if (existing !== undefined) return existing
    refuseTooManyChoices(this.#taken.size + 1)
    const isWanted = host < this.#requested && !this.#taken.has(host)
    const number = isWanted ? host : this.#lowestFree()
    this.#taken.add(number)
    this.#byHost.set(host, number)
    return number
  }

  #lowestFree(): number {
    let number = 0
    while (this.#taken.has(number)) number++
    return number
  }
}

/** The numbers of the choices of a whole answer: the host's, if these are 0, 1, 2… in any order, and otherwise their places. */
export function settledIndices(ofHost: readonly number[]): number[] {
  if (ofHost.length === 1) return [0]
  const isComplete = new Set(ofHost).size === ofHost.length && ofHost.every((index) => index < ofHost.length)
  return isComplete ? [...ofHost] : ofHost.map((_, position) => position)
}
