import { isIP } from 'node:net'
import { literalOf } from './check-url.ts'
import { openDeadline, untilAborted } from './deadline.ts'
import { mayReach, type Policy } from './policy.ts'
import { EgressFailed, EgressRefused } from './refusal.ts'
import type { Answer, Resolve } from './resolve-name.ts'

/**
 * All answers are checked, but at most this many are dialled. Otherwise one name could make us connect to a thousand
 * addresses.
 */
const MAX_DIALLED = 8

type Pinning = { policy: Policy; resolve: Resolve; dnsMs: number; signal: AbortSignal }

/**
 * The addresses at which a checked URL may be dialled. The name is resolved once, and one bad answer refuses all of them: a
 * name that points both inside and outside is an attack, not a service.
 */
export async function pin(url: URL, { policy, resolve, dnsMs, signal }: Pinning): Promise<Answer[]> {
  signal.throwIfAborted()
  const literal = literalOf(url)
  const found = literal ? [literal] : await resolveWithin(dnsMs, () => resolve(url.hostname), signal)
  if (found.length === 0) throw new EgressFailed('unreachable', 'ENODATA')
  if (!found.every((address) => mayReach(address, url, policy))) throw new EgressRefused('address')
  return found.slice(0, MAX_DIALLED).map((address) => ({ address, family: isIP(address) }))
}

/** The answers are copied, so that exactly the addresses that were checked are dialled. */
async function resolveWithin(ms: number, resolve: () => Promise<Answer[]>, parent: AbortSignal): Promise<string[]> {
  const deadline = openDeadline(ms, parent)
  try {
    const answers = await untilAborted(resolve(), deadline.signal)
    return answers.map(({ address }) => address)
  } finally {
    deadline.close()
  }
}
