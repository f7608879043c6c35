import type { Credential, Provider } from '../config/provider-settings.ts'
import type { Circuits, Requester } from './circuits.ts'

/** One credential of a provider, and its place in the provider's list: the place may be told, the secret never. */
export type ChosenCredential = Credential & { index: number }

const NOBODY: readonly ChosenCredential[] = [{ secret: undefined, weight: 1, index: 0 }]

/** The credentials of each provider with their places, and how far each is behind its turn. */
const rotations = new WeakMap<Provider, { all: readonly ChosenCredential[]; counts: number[] }>()

/** The credentials take turns by weight; those that are set aside for this model are passed over. */
export function chooseCredential(
  { provider, id }: { provider: Provider; id: string },
  requester: Requester,
  circuits: Circuits,
  tried: ReadonlySet<number> | undefined,
): ChosenCredential | undefined {
  const { all, counts } = rotationOf(provider)
  if (all.length === 1) return isFree(all[0]!) ? all[0] : undefined
  const free = all.filter(isFree)
  return free.length === 0 ? undefined : nextInRotation(free, counts)

  function isFree({ index }: ChosenCredential) {
    if (tried?.has(index)) return false
    return circuits.isQuiet || !hasCircuits(provider) || circuits.allows(circuitName(id, index), requester)
  }
}

function rotationOf(provider: Provider) {
  const known = rotations.get(provider)
  if (known) return known
  const listed = provider.credentials.map((credential, index) => ({ ...credential, index }))
  const all = listed.length > 0 ? listed : NOBODY
  const rotation = { all, counts: all.map(() => 0) }
  rotations.set(provider, rotation)
  return rotation
}

/** Rehearsals of failures are no failures, and what is simulated under a model's name says nothing about the model. */
export function hasCircuits({ simulated }: Provider): boolean {
  return !simulated
}

export function circuitName(model: string, credential: number): string {
  return `${model} #${credential}`
}

/** Smooth weighted turns: 3 to 1 gives a a b a, not a a a b. Whoever is furthest behind is next. */
function nextInRotation(free: ChosenCredential[], counts: number[]): ChosenCredential {
  const total = free.reduce((sum, { weight }) => sum + weight, 0)
  let best = free[0]!
  for (const credential of free) {
    counts[credential.index]! += credential.weight
    if (counts[credential.index]! > counts[best.index]!) best = credential
  }
  counts[best.index]! -= total
  return best
}
