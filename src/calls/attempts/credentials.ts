import type { Credential, Provider } from '../../platform/config/provider-settings.ts'
import { problem } from '../../contract/problems.ts'
import type { Circuits, Requester } from './circuits.ts'
import { byAffinity, nextInRotation } from './rotation.ts'

/** A credential and its index in the provider's list. The index may be shown to operators; the secret never is. */
export type ChosenCredential = Credential & { index: number }

const NO_CREDENTIAL: readonly ChosenCredential[] = [{ secret: undefined, weight: 1, index: 0 }]

/** The credentials of each provider, and a count for each that says how far it is behind its share. */
const rotations = new WeakMap<Provider, { all: readonly ChosenCredential[]; counts: number[] }>()

/** A model, and the name of its circuits if that is another one. */
type Called = { id: string; circuit?: string | undefined }

/** A model at a provider. If it is bound to the name of a credential, it is called with that one only. */
type Credentialed = Called & { provider: Provider; credential?: string | undefined }

/**
 * Credentials rotate by weight. All requests of a conversation get the same one, so there the conversations are shared by
 * weight. Credentials that are cooling down for this model are skipped.
 */
export function chooseCredential(
  target: Credentialed & { affinity?: (() => number) | undefined },
  requester: Requester,
  circuits: Circuits,
  tried: ReadonlySet<number> | undefined,
): ChosenCredential | undefined {
  const { provider, affinity } = target
  const all = credentialsOf(target)
  if (all.length === 1) return isFree(all[0]!) ? all[0] : undefined
  const free = all.filter(isFree)
  if (free.length < 2) return free[0]
  return affinity ? byAffinity(free, affinity())[0] : nextInRotation(free, rotationOf(provider).counts)

  function isFree({ index }: ChosenCredential) {
    if (tried?.has(index)) return false
    return circuits.isQuiet || !hasCircuits(provider) || circuits.allows(circuitName(target, index), requester)
  }
}

/** The credentials that this target may be called with: all of its provider, or those of the name that it is bound to. */
export function credentialsOf({ provider, credential }: Credentialed): readonly ChosenCredential[] {
  const { all } = rotationOf(provider)
  if (credential === undefined) return all
  const bound = all.filter(({ name }) => name === credential)
  if (bound.length > 0) return bound
  const message = `${provider.name} has no credential named '${credential}' here.`
  throw problem('provider_not_configured', { message, param: 'model' })
}

function rotationOf(provider: Provider) {
  const cached = rotations.get(provider)
  if (cached) return cached
  const listed = provider.credentials.map((credential, index) => ({ ...credential, index }))
  const all = listed.length > 0 ? listed : NO_CREDENTIAL
  const rotation = { all, counts: all.map(() => 0) }
  rotations.set(provider, rotation)
  return rotation
}

/** The sandbox has no circuits: its failures are rehearsals, and its simulated answers say nothing about a real model. */
export function hasCircuits({ simulated }: Provider): boolean {
  return !simulated
}

export function circuitName({ id, circuit = id }: Called, credential: number): string {
  return `${circuit} #${credential}`
}
