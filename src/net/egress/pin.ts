import { isIP } from 'node:net'
import { literalOf } from './check-url.ts'
import { openDeadline, untilAborted } from './deadline.ts'
import { mayReach, type Policy } from './policy.ts'
import { EgressFailed, EgressRefused } from './refusal.ts'
import type { Answer, Resolve } from './resolve-name.ts'

/** All answers are judged; more than this many are not dialled, or one name could have us knock at a thousand doors. */
const MAX_DIALLED = 8

export type Pinning = { policy: Policy; resolve: Resolve; dnsMs: number; signal: AbortSignal }

/**
 * The addresses that a checked URL may be dialled at. Resolves once, and one answer that is not good refuses them all:
 * a name that points inside and outside at the same time is an attack, not a service.
 */
export async function pin(url: URL, { policy, resolve, dnsMs, signal }: Pinning): Promise<Answer[]> {
  signal.throwIfAborted()
  const literal = literalOf(url)
  const found = literal ? [literal] : await resolveWithin(dnsMs, () => resolve(url.hostname), signal)
  if (found.length === 0) throw new EgressFailed('unreachable', 'ENODATA')
  if (!found.every((address) => mayReach(address, url, policy))) throw new EgressRefused('address')
  return found.slice(0, MAX_DIALLED).map((address) => ({ address, family: isIP(address) }))
}

/** Copied out of the resolver's hands: what is judged is what is dialled. */
async function resolveWithin(ms: number, resolve: () => Promise<Answer[]>, parent: AbortSignal): Promise<string[]> {
  const deadline = openDeadline(ms, parent)
  try {
    const answers = await untilAborted(resolve(), deadline.signal)
    return answers.map(({ address }) => address)
  } finally {
    deadline.close()
  }
}
