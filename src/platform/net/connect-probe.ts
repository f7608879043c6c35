import type { Socket } from 'node:net'
import { Dialer, type Trust } from './http1/dialer.ts'
import { type ParsedUrl, parseUrl } from './http1/request-text.ts'
import type { ChooseProxy } from './proxy/choose-proxy.ts'
import { toWireFailure } from './wire-failures.ts'

const CONNECT_MS = 5_000
/** How long a result is reused, so that many failures do not cause many probes. */
const BELIEVED_MS = 5_000
/** Far more than an operator configures. */
const MAX_ORIGINS = 1_000

type Seen = { isThere: Promise<boolean>; at: number }

/** Tests whether an origin accepts connections, without sending any data. */
export class ConnectProbe {
  readonly #monotonic: () => number
  readonly #trust: Trust
  readonly #chooseProxy: ChooseProxy
  readonly #seen = new Map<string, Seen>()

  constructor(monotonic: () => number, chooseProxy: ChooseProxy = () => undefined, trust: Trust = {}) {
    this.#monotonic = monotonic
    this.#trust = trust
    this.#chooseProxy = chooseProxy
  }

  /** Never rejects. An address that cannot be probed counts as reachable. */
  async canConnect(address: string): Promise<boolean> {
    const parsed = parsedIfHttp(address)
    if (!parsed) return true
    const cached = this.#seen.get(parsed.origin)
    if (cached && this.#monotonic() - cached.at < BELIEVED_MS) return await cached.isThere
    if (this.#seen.size >= MAX_ORIGINS) this.#seen.clear()
    const isThere = connects(new Dialer(parsed, this.#trust, this.#chooseProxy(parsed)))
    this.#seen.set(parsed.origin, { isThere, at: this.#monotonic() })
    return await isThere
  }
}

/** The host and port of an address, if it has any: some providers are inside of the program. */
function parsedIfHttp(address: string): ParsedUrl | undefined {
  try {
    return parseUrl(address)
  } catch {
    return undefined
  }
}

function connects(dialer: Dialer): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  let socket: Socket | undefined
  const timer = setTimeout(() => resolve(false), CONNECT_MS)
  dialer.dial({
    use: (opened) => (socket = opened),
    ready: () => resolve(true),
    arrived: () => {},
    ended: () => {},
    died: (error) => resolve(toWireFailure(error).kind === 'exhausted'),
  })
  return promise.finally(() => {
    clearTimeout(timer)
    socket?.destroy()
  })
}
