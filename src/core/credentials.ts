import type { Credential, Provider } from '../config/provider-settings.ts'
import type { Circuits } from './circuits.ts'

const NOBODY: Credential = { secret: undefined, weight: 1 }

/** One credential of a provider, and its place in the provider's list: the place may be told, the secret never. */
export type ChosenCredential = Credential & { index: number }

/** Each provider's running count per credential: whoever is furthest behind its weight is next. */
const turns = new WeakMap<Provider, number[]>()

/** The credentials take turns by weight; those that are set aside for this model are passed over. */
export function chooseCredential(
  provider: Provider,
  model: string,
  circuits: Circuits,
  tried: ReadonlySet<number>,
): ChosenCredential | undefined {
  const { credentials } = provider
  if (credentials.length === 0) return free(0) ? { ...NOBODY, index: 0 } : undefined
  if (credentials.length === 1) return free(0) ? { ...credentials[0]!, index: 0 } : undefined
  const open = credentials.map((credential, index) => ({ ...credential, index })).filter(({ index }) => free(index))
  return open.length === 0 ? undefined : nextInTurn(provider, open)

  function free(index: number) {
    return !tried.has(index) && circuits.allows(circuitName(model, index))
  }
}

export function circuitName(model: string, credential: number): string {
  return `${model} #${credential}`
}

/** Smooth weighted turns: 3 to 1 gives a a b a, not a a a b. */
function nextInTurn(provider: Provider, open: ChosenCredential[]): ChosenCredential {
  const counts = turns.get(provider) ?? provider.credentials.map(() => 0)
  turns.set(provider, counts)
  const total = open.reduce((sum, { weight }) => sum + weight, 0)
  let best = open[0]!
  for (const credential of open) {
    counts[credential.index]! += credential.weight
    if (counts[credential.index]! > counts[best.index]!) best = credential
  }
  counts[best.index]! -= total
  return best
}
