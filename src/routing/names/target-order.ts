import type { Alias, AliasTarget } from '../../config/aliases/alias.ts'
import { byAffinity, nextInRotation } from '../../attempts/rotation.ts'

type Turns = { all: readonly { weight: number; index: number; target: AliasTarget }[]; counts: number[] }

/** Otherwise the conversations of the first target would all have the first credential. */
const UNLIKE_CREDENTIALS = 0x5bd1e995

/** Whose turn it is among the targets of an alias. */
const turns = new WeakMap<Alias, Turns>()

/** The targets of an alias: the one whose turn it is, or the one of the conversation, and then the others. */
export function inTurn(alias: Alias, affinity: (() => number) | undefined): readonly AliasTarget[] {
  if (alias.targets.length === 1) return alias.targets
  const { all, counts } = turnsOf(alias)
  if (affinity) return byAffinity(all, affinity() ^ UNLIKE_CREDENTIALS).map(({ target }) => target)
  const first = nextInRotation(all, counts)
  const others = all.filter((one) => one !== first).sort((one, other) => other.weight - one.weight)
  return [first, ...others].map(({ target }) => target)
}

function turnsOf(alias: Alias): Turns {
  const known = turns.get(alias)
  if (known) return known
  const all = alias.targets.map((target, index) => ({ weight: target.weight ?? 1, index, target }))
  const made = { all, counts: all.map(() => 0) }
  turns.set(alias, made)
  return made
}
