import type { Catalog, Model } from '../../../platform/catalog/catalog.ts'
import type { Provider } from '../../../platform/config/provider-settings.ts'
import { isInRegion } from '../../../platform/providers/model-regions.ts'
import type { Problem } from '../../../contract/problems.ts'
import type { Region } from '../../../platform/providers/provider.ts'
import { type Caller, scopesAllowModel, sightOf } from '../../../tenants/access/caller.ts'
import { policyProblem } from './policy-refusals.ts'
import { type Candidate, candidateOf } from './candidate.ts'
import { providerNamed } from '../../../platform/config/provider-named.ts'
import type { Refused } from './refusal.ts'

type Providers = Record<string, Provider>

/** The sandbox's other models are rehearsals that fail on purpose, so the router does not choose them. */
const SANDBOX = 'sandbox'
const SANDBOX_MODEL = 'sandbox/echo'
/** No provider has longer names. */
const MAX_MODEL_CHARS = 500
/** For how many different sets of scopes the selection is remembered. */
const MAX_SELECTIONS = 200

/** The candidates that the caller may use, and those that it may not. */
export type Selection = {
  candidates: readonly Candidate[]
  refused: readonly Refused[]
  /** What the policy says about the first candidate that it forbids. */
  against: Problem | undefined
}

/** Models that the key may use because of an alias, by id, with the regions in which they are served there. */
export type Granted = ReadonlyMap<string, { regions: readonly Region[] }>

/** The candidates in the catalog, computed once per catalog. */
export class CandidatePool {
  readonly providers: Providers
  readonly #all = new Map<string, Candidate>()
  readonly #selections = new Map<string, Selection>()

  constructor(catalog: Catalog, providers: Providers) {
    this.providers = providers
    for (const model of catalog.list()) this.#add(model)
  }

  /** A model of the catalog, or any other model that its provider may have; undefined if it cannot exist here. */
  find(id: string): Candidate | undefined {
    const candidate = this.#all.get(id)
    if (candidate || id.length > MAX_MODEL_CHARS) return candidate
    const slash = id.indexOf('/')
    const provider = this.#provider(id.slice(0, Math.max(0, slash)))
    const name = id.slice(slash + 1)
    if (!provider || name === '') return undefined
    return (
      this.#all.get(`${provider.id}/${name}`) ?? (provider.strict ? undefined : candidateOf(provider, name, undefined))
    )
  }

  /** By default, every chat model of a provider that is set up, and the sandbox only if there is nothing else. */
  defaultsFor(caller: Caller): Selection {
    const key = JSON.stringify(sightOf(caller))
    const cached = this.#selections.get(key)
    if (cached) return cached
    const selection = this.select(this.#defaults(caller), caller)
    if (this.#selections.size >= MAX_SELECTIONS) this.#selections.delete(this.#selections.keys().next().value!)
    this.#selections.set(key, selection)
    return selection
  }

  select(candidates: readonly Candidate[], caller: Caller, granted?: Granted): Selection {
    const selection = { candidates: [] as Candidate[], refused: [] as Refused[] }
    let against: Problem | undefined
    for (const candidate of candidates) {
      const reason = this.#closedTo(caller, candidate, granted)
      if (reason === 'policy') against ??= this.#againstPolicy(candidate, caller, granted)
      if (reason) selection.refused.push({ id: candidate.id, reason })
      else selection.candidates.push(candidate)
    }
    return { ...selection, against }
  }

  #add(model: Model): void {
    const provider = this.#provider(model.provider)
    if (!provider) return
    const candidate = candidateOf(provider, model.id, model)
    this.#all.set(candidate.id, candidate)
  }

  #defaults(caller: Caller): Candidate[] {
    const real = [...this.#all.values()].filter((candidate) => {
      return candidate.isChat && candidate.provider !== SANDBOX && this.#isSetUp(candidate, caller)
    })
    const sandbox = this.#all.get(SANDBOX_MODEL)
    return real.length > 0 || !sandbox ? real : [sandbox]
  }

  #closedTo(caller: Caller, candidate: Candidate, granted?: Granted): Refused['reason'] | undefined {
    if (!candidate.isChat) return 'not_a_chat_model'
    const alias = granted?.get(candidate.id)
    if (!alias && !scopesAllowModel(caller, { name: candidate.id })) return 'scope'
    if (caller.policy && this.#againstPolicy(candidate, caller, granted)) return 'policy'
    if (!isInRegion(caller.region, alias?.regions ?? candidate.regions)) return 'region'
    return this.#isSetUp(candidate, caller) ? undefined : 'not_configured'
  }

  /** An alias was checked with its own name, which may be what the policy allows. */
  #againstPolicy({ id, provider, regions }: Candidate, caller: Caller, granted?: Granted): Problem | undefined {
    if (granted?.has(id)) return undefined
    return policyProblem({ name: id, provider: this.#provider(provider)!, regions }, caller)
  }

  /** A sandbox key can use every model, because the sandbox answers for all of them. */
  #isSetUp({ provider }: Candidate, { kind }: Caller): boolean {
    return kind === 'sandbox' || this.#provider(provider)?.configured === true
  }

  #provider(name: string): Provider | undefined {
    return providerNamed(name, this.providers)
  }
}

const pools = new WeakMap<Catalog, CandidatePool>()

export function poolOf(catalog: Catalog, providers: Providers): CandidatePool {
  const cached = pools.get(catalog)
  if (cached?.providers === providers) return cached
  const pool = new CandidatePool(catalog, providers)
  pools.set(catalog, pool)
  return pool
}
