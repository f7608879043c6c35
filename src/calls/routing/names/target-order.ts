import type { Alias, AliasTarget } from '../../../platform/config/aliases/alias.ts'
import { byAffinity } from '../../attempts/rotation.ts'

/** Otherwise the conversations of the first target would all have the first credential. */
const UNLIKE_CREDENTIALS = 0x5bd1e995

type Weighted = { weight: number; index: number; target: AliasTarget }
type Shares = { all: readonly Weighted[]; count: number }

const shares = new WeakMap<Alias, Shares>()

/**
 * The targets of an alias in the order in which a call tries them. The conversation decides which is first; a call without a
 * conversation counts as a conversation of its own. A request that is only explained also counts; that does not change the
 * shares.
 */
export function orderedTargets(alias: Alias, affinity: (() => number) | undefined): readonly AliasTarget[] {
  if (alias.targets.length === 1) return alias.targets
  const own = sharesOf(alias)
  const number = affinity ? affinity() : own.count++
  return byAffinity(own.all, number ^ UNLIKE_CREDENTIALS).map(({ target }) => target)
}

function sharesOf(alias: Alias): Shares {
  const cached = shares.get(alias)
  if (cached) return cached
  const all = alias.targets.map((target, index) => ({ weight: target.weight ?? 1, index, target }))
  const made = { all, count: 0 }
  shares.set(alias, made)
  return made
}
