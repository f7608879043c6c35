import { Dialer, type Trust } from './http1/dialer.ts'
import { type Place, placeOf } from './http1/request-text.ts'
import { toWireFailure } from './wire-failures.ts'

const CONNECT_MS = 5_000
/** What was seen is believed for this long, so that no number of failures makes us knock more often. */
const BELIEVED_MS = 5_000
/** Far more than an operator configures. */
const MAX_ORIGINS = 1_000

type Seen = { isThere: Promise<boolean>; at: number }

/** Sees whether a place accepts connections, without sending it anything of anybody's. */
export class ConnectProbe {
  readonly #now: () => number
  readonly #trust: Trust
  readonly #seen = new Map<string, Seen>()

  constructor(now: () => number, trust: Trust = {}) {
    this.#now = now
    this.#trust = trust
  }

  /** Never rejects. What cannot be looked at counts as being there. */
  async canConnect(address: string): Promise<boolean> {
    const place = placeIn(address)
    if (!place) return true
    const known = this.#seen.get(place.origin)
    if (known && this.#now() - known.at < BELIEVED_MS) return await known.isThere
    if (this.#seen.size >= MAX_ORIGINS) this.#seen.clear()
    const isThere = connects(new Dialer(place, this.#trust))
    this.#seen.set(place.origin, { isThere, at: this.#now() })
    return await isThere
  }
}

/** The place of an address that has one: some providers are inside the program. */
function placeIn(address: string): Place | undefined {
  try {
    return placeOf(address)
  } catch {
    return undefined
  }
}

function connects(dialer: Dialer): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = dialer.dial(() => {})
  const timer = setTimeout(() => resolve(false), CONNECT_MS)
  socket.once(dialer.readyEvent, () => resolve(true))
  socket.once('error', (error) => resolve(toWireFailure(error).kind === 'exhausted'))
  return promise.finally(() => {
    clearTimeout(timer)
    // What is still to come of a socket that nobody wants is not worth an exception.
    socket.on('error', () => {}).destroy()
  })
}
