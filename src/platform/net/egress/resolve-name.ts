import { Resolver } from 'node:dns/promises'

export type Answer = { address: string; family: number }

export type Resolve = (name: string) => Promise<Answer[]>

const TRY_MS = 2_000
const TRIES = 2

/**
 * Asks this machine's name servers. It does not use getaddrinfo: that runs in the thread pool that also reads files, so a
 * caller's slow name server would stop the gateway, and it would also try the machine's search domains.
 */
export function openResolver(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES })
  if (servers) resolver.setServers(servers)
  return (name) => resolveName(resolver, name)
}

/** A name may have only one address family. It is unknown if neither gives an answer. */
async function resolveName(resolver: Resolver, name: string): Promise<Answer[]> {
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
  return [...answers(four, 4), ...answers(six, 6)]
}

function answers(settled: PromiseSettledResult<string[]>, family: number): Answer[] {
  return settled.status === 'fulfilled' ? settled.value.map((address) => ({ address, family })) : []
}
