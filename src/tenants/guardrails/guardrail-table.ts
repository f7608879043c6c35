import type { Guardrail } from '../../platform/config/guardrails/guardrail.ts'
import type { Caller } from '../access/caller.ts'

// All guardrails in the memory of this process, by the holder that they apply to. Calls never ask the store.

type Held = Pick<Caller, 'organization' | 'project' | 'keyId'>

/** A guardrail of the store that this version cannot read: what it demands is not known, so no call may pass it. */
export type UnreadableGuardrail = Pick<Guardrail, 'id' | 'appliesTo'>
export type KnownGuardrails = { guardrails: readonly Guardrail[]; unreadable: readonly UnreadableGuardrail[] }

const NONE: readonly Guardrail[] = []

export class GuardrailTable {
  #all: readonly Guardrail[] = NONE
  #unreadable: readonly UnreadableGuardrail[] = []
  #isComplete = false
  #ofCallers = new WeakMap<Held, readonly Guardrail[]>()

  get all(): readonly Guardrail[] {
    return this.#all
  }

  /** Whether those of the store are known. Until then, no call may be answered. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** `stored` is undefined as long as they are not known. A guardrail of the config file takes the place of a stored one with the same id. */
  replace(ofFile: readonly Guardrail[], stored: KnownGuardrails | undefined): void {
    this.#isComplete = stored !== undefined
    const taken = new Set(ofFile.map(({ id }) => id))
    this.#all = [...ofFile, ...(stored?.guardrails ?? NONE).filter(({ id }) => !taken.has(id))].sort((one, other) =>
      one.id < other.id ? -1 : 1,
    )
    this.#unreadable = (stored?.unreadable ?? []).filter(({ id }) => !taken.has(id))
    this.#ofCallers = new WeakMap()
  }

  /** Whether anything that the caller sends may be changed or refused. */
  enforcesFor(caller: Held): boolean {
    if (this.unreadableFor(caller)) return true
    return this.ofCaller(caller).some(({ mode, action }) => mode === 'enforce' && action !== 'flag')
  }

  /** One that applies to the caller, and that this version cannot read. */
  unreadableFor(caller: Held): UnreadableGuardrail | undefined {
    return this.#unreadable.find(({ appliesTo }) => isHolder(appliesTo, caller))
  }

  /** Also those of some models and endpoints only. Callers are the same objects as long as their key does not change. */
  ofCaller(caller: Held): readonly Guardrail[] {
    if (this.#all.length === 0) return NONE
    const cached = this.#ofCallers.get(caller)
    if (cached) return cached
    const found = this.#all.filter(({ appliesTo }) => isHolder(appliesTo, caller))
    this.#ofCallers.set(caller, found)
    return found
  }
}

function isHolder({ holder, id }: Guardrail['appliesTo'], { organization, project, keyId }: Held): boolean {
  return { all: null, organization, project, key: keyId }[holder] === id
}
