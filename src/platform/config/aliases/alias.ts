import type { Timeouts } from '../timeouts.ts'

/** A name that stands for models of providers. A name with a `*` stands for many names. */
export type Alias = {
  /** They share the calls by weight. One that fails is replaced by the next. */
  readonly targets: readonly AliasTarget[]
  /** Names that are tried when all targets have failed. An alias among them stands for its targets. */
  readonly fallbacks?: readonly string[] | undefined
  /** How often a target is asked again before the next one is. */
  readonly retries?: number | undefined
  readonly timeouts?: Partial<Timeouts> | undefined
  /** Fields of a request that the caller does not set. */
  readonly defaults?: Readonly<Record<string, unknown>> | undefined
  /** Callable, but in no list of models. */
  readonly hidden?: boolean | undefined
  /** Why an alias of the store cannot be used; it has no targets then. */
  readonly fault?: string | undefined
}

/** A model with a credential and an address of its own. Without them, it has those of its provider. */
export type AliasTarget = TargetParams & {
  readonly model: string
  readonly weight?: number | undefined
  /** The name of a credential of the provider. */
  readonly credential?: string | undefined
}

export type TargetParams = {
  readonly baseUrl?: string | undefined
  /** The region at Amazon, or the location at Vertex AI. */
  readonly region?: string | undefined
  readonly project?: string | undefined
  /** The name of the model in the operator's account at Azure. */
  readonly deployment?: string | undefined
  readonly apiVersion?: string | undefined
}

/** What is wrong with an alias, and the members that lead to it. */
export type AliasFault = { path: (string | number)[]; msg: string }

export type Aliases = Readonly<Record<string, Alias>>

const PARAMS = ['baseUrl', 'region', 'project', 'deployment', 'apiVersion'] as const

export function hasParams(target: TargetParams): boolean {
  return PARAMS.some((name) => target[name] !== undefined)
}
