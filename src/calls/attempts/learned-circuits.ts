import { type Circuit, OPEN_MS } from './circuit.ts'
import { isFailureKind } from './failures.ts'
import type { OwnCircuits, SharedCircuit } from './shared-circuit.ts'

// Circuits that other processes have opened. An opening applies here as it does there: to the same owner, or to everyone.
// Only what a process found out itself goes to others, so nothing echoes between them. What we see ourselves outweighs what
// we hear: a process that cannot reach a provider must not keep the others from a provider that they can reach.

/** No opening lasts longer than the longest pause of a refused key, whatever another process says. */
const MAX_OPEN_MS = 60_000
/** A success of our own counts for this long. */
const OWN_SUCCESS_MS = 60_000
const MAX_OPENINGS = 400
/** Stands for the owner of a circuit that is open for everyone, so that the bound on circuits counts it. No key has this owner. */
const NO_OWNER = ''
/** These are about a credential, which all processes share: that our own last call succeeded says nothing against them. */
const ABOUT_CREDENTIAL: ReadonlySet<string> = new Set(['rate_limited', 'auth'])

export type Opening = {
  /** The circuit's name: model and credential. */
  name: string
  /** `everyone`, or the owner's circuit for plain or customized requests. */
  kind: 'everyone' | 'plain' | 'customized'
  owner: string
  forMs: number
  because: string
  /** The same as long as it is the same opening. */
  number: number
}

type Access = {
  targets: ReadonlyMap<string, SharedCircuit>
  monotonic(): number
  entry(name: string, owner: string): { target: SharedCircuit; own: OwnCircuits }
  drop(name: string, owner: string): void
}

/** Whether a call of the owner, or of anyone, to the target of this circuit succeeded here within that time. */
export type HasSucceeded = (name: string, owner: string | undefined, withinMs: number) => boolean

export class LearnedCircuits {
  readonly #circuits: Access
  /** The openings that each process reported last. */
  readonly #reported = new Map<string, Map<string, Opening>>()

  constructor(circuits: Access) {
    this.#circuits = circuits
  }

  /** What this process found out itself and others may want to know. */
  own(): Opening[] {
    const now = this.#circuits.monotonic()
    const openings: Opening[] = []
    for (const [name, target] of this.#circuits.targets) {
      add({ name, kind: 'everyone', owner: NO_OWNER }, target)
      for (const [owner, { plain, customized }] of target.owners) {
        add({ name, kind: 'plain', owner }, plain)
        if (customized) add({ name, kind: 'customized', owner }, customized)
      }
      if (openings.length >= MAX_OPENINGS) break
    }
    return openings.slice(0, MAX_OPENINGS)

    /** A circuit is still reported for a while after its time, because it is then half-open and not closed. */
    function add(which: Pick<Opening, 'name' | 'kind' | 'owner'>, { openUntil, because, learnedFrom }: Openable) {
      if (learnedFrom || openUntil === 0 || openUntil <= now - OPEN_MS || !isFailureKind(because)) return
      openings.push({
        ...which,
        because,
        forMs: Math.max(0, Math.round(openUntil - now)),
        number: Math.round(openUntil),
      })
    }
  }

  /** Each opening is applied once: if a call of ours closes the circuit, the same report does not open it again. */
  learn(from: string, openings: readonly Opening[], hasSucceeded: HasSucceeded): void {
    const before = this.#reported.get(from)
    const reported = new Map(openings.slice(0, MAX_OPENINGS).map((opening) => [keyOf(opening), opening]))
    this.#reported.set(from, reported)
    for (const [key, opening] of before ?? []) if (!reported.has(key)) this.#retract(from, opening)
    for (const [key, opening] of reported)
      if (before?.get(key)?.number !== opening.number) this.#apply(from, opening, hasSucceeded)
  }

  /** The process is gone, and what it reported no longer counts. */
  forget(from: string): void {
    for (const opening of this.#reported.get(from)?.values() ?? []) this.#retract(from, opening)
    this.#reported.delete(from)
  }

  #apply(from: string, { name, kind, owner, forMs, because }: Opening, hasSucceeded: HasSucceeded): void {
    const whose = kind === 'everyone' ? undefined : owner
    if (!ABOUT_CREDENTIAL.has(because) && hasSucceeded(name, whose, OWN_SUCCESS_MS)) return
    const { target, own } = this.#circuits.entry(name, kind === 'everyone' ? NO_OWNER : owner)
    const opening = { until: this.#circuits.monotonic() + Math.min(forMs, MAX_OPEN_MS), because, from }
    if (kind === 'everyone') target.learn(opening)
    else circuitOf(own, kind).learn(opening)
  }

  #retract(from: string, { name, kind, owner }: Opening): void {
    const target = this.#circuits.targets.get(name)
    const holder = kind === 'everyone' ? NO_OWNER : owner
    const own = target?.owners.get(holder)
    if (!target || !own) return
    if (kind === 'everyone') target.unlearn(from)
    else circuitOf(own, kind).unlearn(from)
    if (own.customized?.isBlank) own.customized = undefined
    const isNeeded = target.openUntil > 0 && target.owners.size === 1
    if (own.isBlank && !isNeeded) this.#circuits.drop(name, holder)
  }
}

type Openable = Pick<Circuit, 'openUntil' | 'because' | 'learnedFrom'>

function circuitOf(own: OwnCircuits, kind: 'plain' | 'customized'): Circuit {
  return kind === 'plain' ? own.plain : own.customizedCircuit
}

function keyOf({ name, kind, owner }: Opening): string {
  return JSON.stringify([name, kind, owner])
}
