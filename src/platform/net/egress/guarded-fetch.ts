import type { Loc } from '../../../base/schema/issue-messages.ts'
import type { WireRequest, WireResponse } from '../../../translation/wire/wire.ts'
import type { Arriving } from './arrival.ts'
import type { ChooseProxy } from '../proxy/choose-proxy.ts'
import type { HttpProxy } from '../proxy/proxy.ts'
import { checkUrl, literalOf } from './check-url.ts'
import { openDeadline } from './deadline.ts'
import { exchange } from './exchange.ts'
import { pin } from './pin.ts'
import { mayReach, type Policy } from './policy.ts'
import { portOf } from './ports.ts'
import { headersFor, redirectTarget } from './redirect.ts'
import { EgressFailed, EgressRefused, failureOf, refusedUrl } from './refusal.ts'
import { type Answer, openResolver, type Resolve } from './resolve-name.ts'

// The only way out for every request that a caller can cause: webhooks, URLs of files, URLs of images.

const LIMITS = { dnsMs: 5_000, connectMs: 10_000, idleMs: 30_000 }

export type EgressOptions = Policy & {
  resolve?: Resolve
  limits?: Partial<typeof LIMITS>
  /** Certificates to trust instead of the system's, for tests. */
  ca?: string
  chooseProxy?: ChooseProxy
  /** The proxy of the operator failed. Callers learn only that their address cannot be reached. */
  proxyFailed?: (reason: string) => void
}

export type EgressRequest = WireRequest & {
  /** A larger body fails while it is read. */
  maxBytes: number
  /** The limit for everything: names, redirects, and the last byte of the body. */
  timeoutMs: number
  /** How long nothing may arrive, if that is not the usual time. */
  idleMs?: number
  /** How many redirects of a GET are followed. With 0, the caller gets the redirect itself. */
  redirects: 0 | 3
  signal: AbortSignal
  /** Refuses plain http even inside of the allowed networks. */
  requireHttps?: boolean
}

/** `url` is the final URL after all redirects. */
export type EgressResponse = WireResponse & { url: string }

export type Egress = {
  /** Checks a URL when a caller submits it, without the network. Throws the problem that the caller sees. */
  check(text: string, loc: Loc, rules?: { requireHttps?: boolean }): URL
  /** Resolves the name of a checked URL and checks the answers, as a fetch would. Throws EgressRefused or EgressFailed. */
  resolve(url: URL): Promise<void>
  /** Throws EgressRefused or EgressFailed, or the signal's reason. The body has to be read or cancelled (`return()`). */
  fetch(request: EgressRequest): Promise<EgressResponse>
  close(): void
}

type Exit = Required<Pick<EgressOptions, 'resolve' | 'chooseProxy' | 'proxyFailed'>> & {
  policy: Policy
  limits: typeof LIMITS
  ca: string | undefined
  closing: AbortSignal
}

export function openEgress({
  allow,
  ownListeners,
  resolve = openResolver(),
  limits,
  ca,
  ...rest
}: EgressOptions): Egress {
  const closing = new AbortController()
  const policy = { allow, ownListeners }
  const direct = { chooseProxy: () => undefined, proxyFailed: () => {} }
  const exit = { ...direct, ...rest, policy, resolve, limits: { ...LIMITS, ...limits }, ca, closing: closing.signal }
  return {
    check: (text, loc, rules) => checkSubmitted(text, loc, { ...policy, ...rules }),
    resolve: (url) => judge(url, exit),
    fetch: (request) => guardedFetch(request, exit),
    close: () => closing.abort(new EgressFailed('unreachable', 'closing')),
  }
}

function checkSubmitted(text: string, loc: Loc, policy: Policy & { requireHttps?: boolean }): URL {
  try {
    return checkUrl(text, policy)
  } catch {
    throw refusedUrl(loc)
  }
}

async function judge(url: URL, { policy, resolve, limits, closing }: Exit): Promise<void> {
  try {
    await pin(url, { policy, resolve, dnsMs: limits.dnsMs, signal: closing })
  } catch (error) {
    throw failureOf(error)
  }
}

async function guardedFetch(request: EgressRequest, exit: Exit): Promise<EgressResponse> {
  const deadline = openDeadline(request.timeoutMs, request.signal, exit.closing)
  try {
    const { over, ...response } = await follow(request, deadline.signal, exit)
    void over.then(deadline.close)
    return response
  } catch (error) {
    // Sockets depend on the deadline: a redirect may be refused while its body is still arriving. The first reason stays.
    deadline.abort(failureOf(error))
    throw deadline.signal.reason
  }
}

async function follow(request: EgressRequest, signal: AbortSignal, exit: Exit): Promise<Arriving & { url: string }> {
  const max = request.method === 'GET' ? request.redirects : 0
  let { url: address, headers } = request
  for (let followed = 0; ; followed++) {
    const url = checkUrl(address, { ...exit.policy, requireHttps: request.requireHttps })
    const response = await sendTo(url, { ...request, headers, signal }, exit)
    const target = max === 0 ? undefined : redirectTarget(response, url)
    if (!target) return { ...response, url: url.href }
    await leave(response)
    if (followed === max) throw new EgressRefused('redirect')
    address = target.href
    headers = headersFor(target, url, headers)
  }
}

async function sendTo(url: URL, request: EgressRequest, exit: Exit): Promise<Arriving> {
  const { policy, resolve, limits, ca } = exit
  const { method, headers, body, maxBytes, signal } = request
  const addresses = await pin(url, { policy, resolve, dnsMs: limits.dnsMs, signal })
  const isGoodPeer = (address: string) => mayReach(address, url, policy)
  const pinned = {
    url,
    addresses,
    isGoodPeer,
    ca,
    proxy: proxyFor(url, addresses, exit),
    ...limits,
    ...(request.idleMs && { idleMs: request.idleMs }),
  }
  try {
    return await exchange({ ...pinned, method, headers, body, maxBytes, signal })
  } catch (error) {
    if (error instanceof EgressFailed && error.kind === 'proxy') exit.proxyFailed(String(error.cause))
    throw error
  }
}

/** There is no proxy if the name, or an address that it stands for, is to be reached without one. */
function proxyFor(url: URL, addresses: Answer[], { chooseProxy }: Exit): HttpProxy | undefined {
  const endpoint = { origin: url.origin, isSecure: url.protocol === 'https:', port: portOf(url) }
  const names = [literalOf(url) ?? url.hostname, ...addresses.map(({ address }) => address)]
  const chosen = names.map((hostname) => chooseProxy({ ...endpoint, hostname }))
  return chosen.includes(undefined) ? undefined : chosen[0]
}

async function leave({ body }: WireResponse): Promise<void> {
  await body[Symbol.asyncIterator]().return?.()
}
