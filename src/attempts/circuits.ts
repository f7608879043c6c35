import { Circuit } from './circuit.ts'
import { countOpen, type ListedCircuit, listed } from './listed-circuit.ts'
import { OwnedMap } from '../fairness/owned-map.ts'
import { OwnCircuits, SharedCircuit } from './shared-circuit.ts'

// Who is ill is left alone. A circuit stands for one model of one provider with one credential: after some failures in a
// row it opens, and nobody is sent there; after a while one call is let through to see. The same book holds credentials
// that were told to wait. It is this process's own knowledge: each learns for itself, within a handful of calls.
//
// A circuit opens for the owner who met with the failures, who may have caused them. It opens for everyone when two owners
// agree, or when we cannot connect to the provider ourselves.

const OPEN_AFTER_FAILURES = 5
/** A refused key is tried again once in a while: somebody may have paid the bill. */
export const REFUSED_KEY_MS = 60_000
const MAX_CIRCUITS = 10_000
/** What happens before anything of a request is sent: no header or field of it can be the reason. */
const CONNECT_FAILURES: ReadonlySet<string> = new Set(['refused', 'dns', 'tls', 'connect_timeout'])

/** Whether a failure may be due to the caller's own headers or fields. */
export function isOwnDoing(because: string, requester: Requester): boolean {
  return !CONNECT_FAILURES.has(because) && requester.isCustomized()
}

/** Whose request it is, and whether headers or fields of the caller's own go to the provider with it. */
export type Requester = { readonly caller: { readonly owner: string }; isCustomized(): boolean }

export type CircuitFailure = {
  because: string
  /** The time limit was only so short because the caller has another target: the others may be willing to wait. */
  isImpatience?: boolean
  /** The address of the provider, to look for ourselves whether it can be connected to. */
  address?: string
}

export type CoolDown = { because: string; forMs: number }

type Options = { openAfter?: number; canConnect?: (address: string) => Promise<boolean> }

export class Circuits {
  readonly #targets = new Map<string, SharedCircuit>()
  readonly #owned = new OwnedMap<OwnCircuits>(MAX_CIRCUITS)
  readonly #now: () => number
  readonly #openAfter: number
  readonly #canConnect: Options['canConnect']

  constructor(now: () => number, { openAfter = OPEN_AFTER_FAILURES, canConnect }: Options = {}) {
    this.#now = now
    this.#openAfter = openAfter
    this.#canConnect = canConnect
  }

  /** Nothing is wrong with anybody: nearly always, and then no name need be made to ask for one. */
  get isQuiet(): boolean {
    return this.#targets.size === 0
  }

  /** Whether a call may go there now. Does not claim the probe: `begin` does. */
  allows(name: string, requester: Requester): boolean {
    const target = this.#targets.get(name)
    if (!target) return true
    const now = this.#now()
    const state = target.stateAt(now)
    if (state === 'open' || this.#ownOf(target, requester).some((own) => own.stateAt(now) === 'open')) return false
    // What is customized decides nothing for the others, and so takes nobody's place.
    return state === 'closed' || requester.isCustomized() || target.mayTry(requester.caller.owner, now)
  }

  /** A call goes there: where the circuit was open, it is the probe, and nobody follows until it is back. */
  begin(name: string, requester: Requester): void {
    const target = this.#targets.get(name)
    if (!target) return
    const now = this.#now()
    for (const own of this.#ownOf(target, requester)) own.begin(now)
    if (!requester.isCustomized()) target.beginTrial(requester.caller.owner, now)
  }

  /** The target answered with what was asked for. With fields of the caller's own, it may do so for this caller alone. */
  succeeded(name: string, requester: Requester): void {
    const target = this.#targets.get(name)
    if (target && !requester.isCustomized()) target.close()
    this.reached(name, requester)
  }

  /** The target refused a request without being ill: that much is well for its owner, and says nothing to the others. */
  reached(name: string, requester: Requester): void {
    const target = this.#targets.get(name)
    if (!target) return
    const { owner } = requester.caller
    if (!requester.isCustomized()) target.endTrial(owner)
    if (target.owners.has(owner)) this.#forget(name, owner, target)
  }

  /** The call ended without saying anything about the target: the client left, or the time was up for other reasons. */
  undecided(name: string, requester: Requester): void {
    const target = this.#targets.get(name)
    if (!target) return
    for (const own of this.#ownOf(target, requester)) own.undecided()
    if (!requester.isCustomized()) target.endTrial(requester.caller.owner)
  }

  failed(name: string, requester: Requester, { because, isImpatience = false, address }: CircuitFailure): void {
    const now = this.#now()
    const { target, own } = this.#entry(name, requester.caller.owner)
    const circuit = isOwnDoing(because, requester) ? circuitFor(own, requester) : own.plain
    const wasTrial = circuit === own.plain && target.endTrial(requester.caller.owner)
    circuit.failed(because, now, wasTrial ? 1 : this.#openAfter)
    if (circuit !== own.plain) own.plain.undecided()
    if (circuit !== own.plain || isImpatience) return
    target.noteFailure(own, because, now, this.#openAfter)
    if (address && CONNECT_FAILURES.has(because) && circuit.openUntil > now)
      this.#lookOurselves(target, circuit, address)
  }

  /** Told to wait, or refused: no failure of the model, but no use either until then. */
  coolDown(name: string, requester: Requester, { because, forMs }: CoolDown): void {
    const now = this.#now()
    const { target, own } = this.#entry(name, requester.caller.owner)
    const circuit = circuitFor(own, requester)
    circuit.coolDown(now + forMs, because)
    if (circuit !== own.plain) return own.plain.undecided()
    target.endTrial(requester.caller.owner)
    target.noteCoolDown(own, because, now + forMs, now)
  }

  /** For how long this requester is not sent there, and why. */
  coolDownOf(name: string, requester: Requester): CoolDown {
    const target = this.#targets.get(name)
    if (!target) return { forMs: 0, because: '' }
    const last = [target, ...this.#ownOf(target, requester)].reduce((a, b) => (b.openUntil > a.openUntil ? b : a))
    return { forMs: Math.max(0, last.openUntil - this.#now()), because: last.because }
  }

  list(): ListedCircuit[] {
    const now = this.#now()
    return Array.from(this.#targets, ([name, target]) => listed(name, target, now))
  }

  /** Circuits that are open, for one owner at least. */
  get open(): number {
    return this.#count((target, now) => target.stateAt(now) === 'open' || countOpen(target, now) > 0)
  }

  get openForEveryone(): number {
    return this.#count((target, now) => target.stateAt(now) === 'open')
  }

  #count(isOpen: (target: SharedCircuit, now: number) => boolean): number {
    const now = this.#now()
    let count = 0
    for (const target of this.#targets.values()) if (isOpen(target, now)) count++
    return count
  }

  /** The circuits of its owner that a request has to do with. */
  #ownOf(target: SharedCircuit, { caller: { owner }, isCustomized }: Requester): Circuit[] {
    const own = target.owners.get(owner)
    if (!own) return []
    return own.customized && isCustomized() ? [own.plain, own.customized] : [own.plain]
  }

  #entry(name: string, owner: string): { target: SharedCircuit; own: OwnCircuits } {
    const target = this.#targets.get(name) ?? new SharedCircuit()
    const known = target.owners.get(owner)
    if (known) return { target, own: known }
    const own = new OwnCircuits()
    const evicted = this.#owned.set(owner, name, own)
    if (evicted) this.#drop(evicted.name, evicted.owner)
    target.owners.set(owner, own)
    this.#targets.set(name, target)
    return { target, own }
  }

  /** Where the circuit is open for everyone its place is kept, so that whatever is remembered is counted. */
  #forget(name: string, owner: string, target: SharedCircuit): void {
    if (target.openUntil > 0 && target.owners.size === 1) {
      const own = new OwnCircuits()
      target.owners.set(owner, own)
      this.#owned.set(owner, name, own)
      return
    }
    this.#owned.delete(owner, name)
    this.#drop(name, owner)
  }

  #drop(name: string, owner: string): void {
    const target = this.#targets.get(name)
    target?.owners.delete(owner)
    if (target?.owners.size === 0) this.#targets.delete(name)
  }

  /** One owner could not connect. When we cannot either, without any request of a caller, it is so for everyone. */
  #lookOurselves(target: SharedCircuit, { openUntil, because }: Circuit, address: string): void {
    const { period } = target
    this.#canConnect?.(address).then((isThere) => {
      if (!isThere && target.period === period && openUntil > this.#now()) target.open(openUntil, because)
    })
  }
}

function circuitFor(own: OwnCircuits, requester: Requester): Circuit {
  if (!requester.isCustomized()) return own.plain
  own.customized ??= new Circuit()
  return own.customized
}
