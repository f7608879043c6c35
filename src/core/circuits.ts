// Who is ill is left alone. A circuit stands for one model of one provider with one credential: after some failures in a
// row it opens, and nobody is sent there; after a while one call is let through to see. The same book holds credentials
// that were told to wait. It is this process's own knowledge: each learns for itself, within a handful of calls.

const OPEN_AFTER_FAILURES = 5
/** Short enough that a provider is back within 30 s of its recovery, whenever in the period it recovers. */
const OPEN_MS = 20_000
/** A refused key is tried again once in a while: somebody may have paid the bill. */
export const REFUSED_KEY_MS = 60_000
const MAX_CIRCUITS = 10_000

export type Circuit = {
  failures: number
  /** Nobody is sent there before. */
  openUntil: number
  /** Since when one call is on its way to see whether it is well again. */
  probedAt: number
  /** The reason that it is open or set aside for, as an outcome. */
  because: string
}

export type CircuitState = 'closed' | 'open' | 'half-open'

export class Circuits {
  readonly #circuits = new Map<string, Circuit>()
  readonly #now: () => number
  readonly #openAfter: number

  constructor(now: () => number, { openAfter = OPEN_AFTER_FAILURES }: { openAfter?: number } = {}) {
    this.#now = now
    this.#openAfter = openAfter
  }

  /** Nothing is wrong with anybody: nearly always, and then no name need be made to ask for one. */
  get isQuiet(): boolean {
    return this.#circuits.size === 0
  }

  /** Whether a call may go there now. Does not claim the probe: `begin` does. */
  allows(name: string): boolean {
    const circuit = this.#circuits.get(name)
    return !circuit || stateAt(circuit, this.#now()) !== 'open'
  }

  /** A call goes there: where the circuit was open, it is the probe, and nobody follows until it is back. */
  begin(name: string): void {
    const circuit = this.#circuits.get(name)
    if (circuit && circuit.openUntil > 0) circuit.probedAt = this.#now()
  }

  succeeded(name: string): void {
    this.#circuits.delete(name)
  }

  /** The call ended without saying anything about the target: the client left, or the time was up for other reasons. */
  undecided(name: string): void {
    const circuit = this.#circuits.get(name)
    if (circuit) circuit.probedAt = 0
  }

  failed(name: string, because: string): void {
    const circuit = this.#entry(name)
    const now = this.#now()
    circuit.failures++
    circuit.because = because
    const wasProbe = circuit.openUntil > 0
    if (wasProbe || circuit.failures >= this.#openAfter) circuit.openUntil = now + OPEN_MS
    circuit.probedAt = 0
  }

  /** Told to wait, or refused: no failure of the model, but no use either until then. */
  setAside(name: string, forMs: number, because: string): void {
    const circuit = this.#entry(name)
    circuit.openUntil = Math.max(circuit.openUntil, this.#now() + forMs)
    circuit.because = because
    circuit.probedAt = 0
  }

  /** For how long nobody is sent there, and why. */
  aside(name: string): { forMs: number; because: string } {
    const circuit = this.#circuits.get(name)
    return { forMs: circuit ? Math.max(0, circuit.openUntil - this.#now()) : 0, because: circuit?.because ?? '' }
  }

  list(): { name: string; state: CircuitState; failures: number; because: string; retryInMs: number }[] {
    const now = this.#now()
    return Array.from(this.#circuits, ([name, circuit]) => ({
      name,
      state: stateAt(circuit, now),
      failures: circuit.failures,
      because: circuit.because,
      retryInMs: Math.max(0, circuit.openUntil - now),
    }))
  }

  get open(): number {
    const now = this.#now()
    let count = 0
    for (const circuit of this.#circuits.values()) if (stateAt(circuit, now) === 'open') count++
    return count
  }

  #entry(name: string): Circuit {
    const known = this.#circuits.get(name)
    if (known) return known
    if (this.#circuits.size >= MAX_CIRCUITS) this.#circuits.delete(this.#circuits.keys().next().value!)
    const made: Circuit = { failures: 0, openUntil: 0, probedAt: 0, because: '' }
    this.#circuits.set(name, made)
    return made
  }
}

/** A probe that never came back does not keep the circuit open for ever. */
function stateAt({ openUntil, probedAt }: Circuit, now: number): CircuitState {
  if (openUntil === 0) return 'closed'
  if (openUntil > now) return 'open'
  return probedAt > 0 && now - probedAt < OPEN_MS ? 'open' : 'half-open'
}
