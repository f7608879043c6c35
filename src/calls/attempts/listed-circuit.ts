import type { CircuitState } from './circuit.ts'
import type { SharedCircuit } from './shared-circuit.ts'

/** A circuit as operators see it. It does not name owners. */
export type ListedCircuit = {
  name: string
  /** The worst state among all owners. */
  state: CircuitState
  forEveryone: CircuitState
  /** How many owners have an open circuit of their own. */
  openOwners: number
  failures: number
  because: string
  retryInMs: number
  /** The process that told this one, or undefined if this one found out. */
  learnedFrom: string | undefined
}

export function listed(name: string, target: SharedCircuit, now: number): ListedCircuit {
  const own = [...target.owners.values()].flatMap(({ plain, customized }) =>
    customized ? [plain, customized] : [plain],
  )
  const forEveryone = target.stateAt(now)
  const states: CircuitState[] = [forEveryone, ...own.map((circuit) => circuit.stateAt(now))]
  const { because, openUntil, learnedFrom } = [...own, target].reduce((a, b) => (b.openUntil > a.openUntil ? b : a))
  return {
    name,
    state: (['open', 'half-open', 'closed'] as const).find((state) => states.includes(state))!,
    forEveryone,
    openOwners: countOpen(target, now),
    failures: Math.max(...own.map(({ failures }) => failures)),
    because,
    retryInMs: Math.max(0, openUntil - now),
    learnedFrom,
  }
}

export function countOpen({ owners }: SharedCircuit, now: number): number {
  let count = 0
  for (const { plain, customized } of owners.values())
    if (plain.stateAt(now) === 'open' || customized?.stateAt(now) === 'open') count++
  return count
}
