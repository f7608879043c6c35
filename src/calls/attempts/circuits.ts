import type { Circuit } from './circuit.ts'
import { countOpen, type ListedCircuit, listed } from './listed-circuit.ts'
import { LearnedCircuits } from './learned-circuits.ts'
import { OwnedMap } from '../../base/fairness/owned-map.ts'
import { OwnCircuits, SharedCircuit } from './shared-circuit.ts'

// Targets that fail are left alone for a while. A circuit belongs to one model of one provider with one credential. After
// some failures in a row it opens, and no call goes there; after a while one call is let through as a probe. Credentials
// that a provider rate-limits or refuses are kept here too. Each process learns this for itself, within a handful of calls,
// and hears from others within seconds (learned-circuits.ts).
//
// A circuit opens for the owner whose calls failed, because that owner may have caused the failures. It opens for everyone
// when two owners agree, or when our own connect probe fails too.

const OPEN_AFTER_FAILURES = 5
/** A refused key is tried again from time to time, because the operator may have paid the bill. */
export const REFUSED_KEY_MS = 60_000
const MAX_CIRCUITS = 10_000
/** Failures that occur before the request is sent, so that none of its headers or fields can be the reason. */
const CONNECT_FAILURES: ReadonlySet<string> = new Set(['refused', 'dns', 'tls', 'proxy', 'connect_timeout'])

/** Whether a failure may be due to the caller's own headers or fields. */
export function isOwnDoing(because: string, requester: Requester): boolean {
  return !CONNECT_FAILURES.has(because) && requester.isCustomized()
}

/** The owner of a request, and whether the caller's own headers or fields go to the provider with it. */
export type Requester = { readonly caller: { readonly owner: string }; isCustomized(): boolean }

type CircuitFailure = {
  because: string
  /** The time limit was shorter because the caller has another target, so this says nothing to callers who would wait. */
  isShortened?: boolean
  /** The provider's address, for our own connect probe. */
  address?: string
}

type CoolDown = { because: string; forMs: number }

type Options = { openAfter?: number; canConnect?: (address: string) => Promise<boolean> }

export class Circuits {
  readonly #targets = new Map<string, SharedCircuit>()
  readonly #owned = new OwnedMap<OwnCircuits>(MAX_CIRCUITS)
  readonly #monotonic: () => number
  readonly #openAfter: number
  readonly #canConnect: Options['canConnect']
  /** What goes to other processes and comes from them. */
  readonly learned: LearnedCircuits

  constructor(monotonic: () => number, { openAfter = OPEN_AFTER_FAILURES, canConnect }: Options = {}) {
    this.#monotonic = monotonic
    this.#openAfter = openAfter
    this.#canConnect = canConnect
    this.learned = new LearnedCircuits({
      targets: this.#targets,
      monotonic,
      entry: (name, owner) => this.#entry(name, owner),
      drop: (name, owner) => {
        this.#owned.delete(owner, name)
        this.#drop(name, owner)
      },
    })
  }

  /** No circuit has any failure. This is nearly always so, and then callers need not build a circuit's name. */
  get isQuiet(): boolean {
    return this.#targets.size === 0
  }

  /** Whether a call may go to the target now. This does not claim the probe; `begin` does. */
  allows(name: string, requester: Requester): boolean {
    const target = this.#targets.get(name)
    if (!target) return true
    const now = this.#monotonic()
    const state = target.stateAt(now)
    if (state === 'open' || this.#ownOf(target, requester).some((own) => own.stateAt(now) === 'open')) return false
    // The outcome of a customized request does not count for others, so it does not take up the probe.
    return state === 'closed' || requester.isCustomized() || target.mayTry(requester.caller.owner, now)
  }

  /** A call goes to the target. If the circuit was open, the call is the probe, and no other follows until it has ended. */
  begin(name: string, requester: Requester): void {
    const target = this.#targets.get(name)
    if (!target) return
    const now = this.#monotonic()
    for (const own of this.#ownOf(target, requester)) own.begin(now)
    if (!requester.isCustomized()) target.beginTrial(requester.caller.owner, now)
  }

  /** The target answered. If the request was customized, the target may work for this caller only. */
  succeeded(name: string, requester: Requester): void {
    const target = this.#targets.get(name)
    if (target && !requester.isCustomized()) target.close()
    this.reached(name, requester)
  }

  /** The target refused the request but is healthy. That resets the owner's circuit and says nothing to other owners. */
  reached(name: string, requester: Requester): void {
    const target = this.#targets.get(name)
    if (!target) return
    const { owner } = requester.caller
    if (!requester.isCustomized()) target.endTrial(owner)
    if (target.owners.has(owner)) this.#forget(name, owner, target)
  }

  /** The call ended without showing whether the target is healthy: the client left, or the call ran out of time. */
  undecided(name: string, requester: Requester): void {
    const target = this.#targets.get(name)
    if (!target) return
    for (const own of this.#ownOf(target, requester)) own.undecided()
    if (!requester.isCustomized()) target.endTrial(requester.caller.owner)
  }

  failed(name: string, requester: Requester, { because, isShortened = false, address }: CircuitFailure): void {
    const now = this.#monotonic()
    const { target, own } = this.#entry(name, requester.caller.owner)
    const circuit = isOwnDoing(because, requester) ? circuitFor(own, requester) : own.plain
    const wasTrial = circuit === own.plain && target.endTrial(requester.caller.owner)
    circuit.failed(because, now, wasTrial ? 1 : this.#openAfter)
    if (circuit !== own.plain) own.plain.undecided()
    if (circuit !== own.plain || isShortened) return
    target.noteFailure(own, because, now, this.#openAfter)
    if (address && CONNECT_FAILURES.has(because) && circuit.openUntil > now)
      this.#lookOurselves(target, circuit, address)
  }

  /** The provider rate-limited or refused the credential. The model has not failed, but cannot be used until then. */
  coolDown(name: string, requester: Requester, { because, forMs }: CoolDown): void {
    const now = this.#monotonic()
    const { target, own } = this.#entry(name, requester.caller.owner)
    const circuit = circuitFor(own, requester)
    circuit.coolDown(now + forMs, because)
    if (circuit !== own.plain) return own.plain.undecided()
    target.endTrial(requester.caller.owner)
    target.noteCoolDown(own, because, now + forMs, now)
  }

  /** How long this requester's calls do not go to the target, and why. */
  coolDownOf(name: string, requester: Requester): CoolDown {
    const target = this.#targets.get(name)
    if (!target) return { forMs: 0, because: '' }
    const last = [target, ...this.#ownOf(target, requester)].reduce((a, b) => (b.openUntil > a.openUntil ? b : a))
    return { forMs: Math.max(0, last.openUntil - this.#monotonic()), because: last.because }
  }

  list(): ListedCircuit[] {
    const now = this.#monotonic()
    return Array.from(this.#targets, ([name, target]) => listed(name, target, now))
  }

  /** The number of circuits that are open for at least one owner. */
  get open(): number {
    return this.#count((target, now) => target.stateAt(now) === 'open' || countOpen(target, now) > 0)
  }

  get openForEveryone(): number {
    return this.#count((target, now) => target.stateAt(now) === 'open')
  }

  #count(isOpen: (target: SharedCircuit, now: number) => boolean): number {
    const now = this.#monotonic()
    let count = 0
    for (const target of this.#targets.values()) if (isOpen(target, now)) count++
    return count
  }

  /** Forgets what was learned about a provider that has another address or other credentials now. */
  forgetProvider(id: string): void {
    for (const [name, target] of this.#targets) {
      if (!name.startsWith(`${id}/`)) continue
      for (const owner of target.owners.keys()) this.#owned.delete(owner, name)
      this.#targets.delete(name)
    }
  }

  /** The circuits of the request's owner that apply to the request. */
  #ownOf(target: SharedCircuit, { caller: { owner }, isCustomized }: Requester): Circuit[] {
    const own = target.owners.get(owner)
    if (!own) return []
    return own.customized && isCustomized() ? [own.plain, own.customized] : [own.plain]
  }

  #entry(name: string, owner: string): { target: SharedCircuit; own: OwnCircuits } {
    const target = this.#targets.get(name) ?? new SharedCircuit()
    const ownCircuit = target.owners.get(owner)
    if (ownCircuit) return { target, own: ownCircuit }
    const own = new OwnCircuits()
    const evicted = this.#owned.set(owner, name, own)
    if (evicted) this.#drop(evicted.name, evicted.owner)
    target.owners.set(owner, own)
    this.#targets.set(name, target)
    return { target, own }
  }

  /** A circuit that is open for everyone keeps its entry, so that the map's bound counts everything that is remembered. */
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

  /** One owner could not connect. If our own probe, without a caller's request, cannot connect either, this holds for everyone. */
  #lookOurselves(target: SharedCircuit, { openUntil, because }: Circuit, address: string): void {
    const { period } = target
    this.#canConnect?.(address).then((isThere) => {
      if (!isThere && target.period === period && openUntil > this.#monotonic()) target.open(openUntil, because)
    })
  }
}

function circuitFor(own: OwnCircuits, requester: Requester): Circuit {
  return requester.isCustomized() ? own.customizedCircuit : own.plain
}
