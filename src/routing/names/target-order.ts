import type { Alias, AliasTarget } from '../../config/aliases/alias.ts'
import { byAffinity } from '../../attempts/rotation.ts'

/** Otherwise the conversations of the first target would all have the first credential. */
const UNLIKE_CREDENTIALS = 0x5bd1e995

type Weighted = { weight: number; index: number; target: AliasTarget }
type Turns = { all: readonly Weighted[]; count: number }

const turns = new WeakMap<Alias, Turns>()

/**
 * The targets of an alias, first the one of the conversation. Without a conversation, every call is one of its own. A call that
 * is only checked takes no turn away: the turns are no fixed sequence, which such a call would shift for the next one.
 */
export function inTurn(alias: Alias, affinity: (() => number) | undefined): readonly AliasTarget[] {
  if (alias.targets.length === 1) return alias.targets
  const own = turnsOf(alias)
  const number = affinity ? affinity() : own.count++
  return byAffinity(own.all, number ^ UNLIKE_CREDENTIALS).map(({ target }) => target)
}

function turnsOf(alias: Alias): Turns {
  const known = turns.get(alias)
  if (known) return known
  const all = alias.targets.map((target, index) => ({ weight: target.weight ?? 1, index, target }))
  const made = { all, count: 0 }
  turns.set(alias, made)
  return made
}
