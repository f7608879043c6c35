import { didYouMean } from '../../base/schema/nearest-name.ts'
import { ENDPOINT_SCOPES } from '../../contract/admin/policy.ts'
import { problem } from '../../contract/problems.ts'
import type { Region } from '../../platform/providers/provider.ts'
import { type Owner, projectOwner } from '../../platform/store/owner.ts'
import type { KeyKind } from './api-keys.ts'
import type { CallerPolicy, EndpointScope } from './policy.ts'

/** The key that sent a request, whose files, jobs and responses it uses, and what it may do. */
export type Caller = Owner & {
  keyId: string
  /** For people. */
  keyName: string
  /** The id of the person or the service account behind the key. */
  user: string | null
  kind: KeyKind
  region: Region
  /** Endpoint names (`chat`, `models`) and model patterns (`model:openai/*`); null allows everything. */
  scopes: readonly string[] | null
  expiresAt: number | null
  /** Networks and addresses that the key may be used from; null allows all. */
  allowedIps: readonly string[] | null
  /** What the project and the key allow beside scopes and region; null restricts nothing. */
  policy: CallerPolicy | null
}

/** The project `default`, which every installation has. */
export const DEFAULT_OWNER = projectOwner({ organization: 'default', project: 'default' })

const MODEL_SCOPE = 'model:'
const RESOURCE_SCOPE = 'resource:'
const OF_NO_ENDPOINT = /^(?:model|resource):/

/** The scope of a token that may be used for one resource only, and what that asks for: a path, and what is below it. */
export function resourceScope(path: string): string {
  return RESOURCE_SCOPE + path
}

/** Undefined for keys and tokens that may be used everywhere. */
export function resourceOf({ scopes }: Pick<Caller, 'scopes'>): string | undefined {
  return scopes?.find((scope) => scope.startsWith(RESOURCE_SCOPE))?.slice(RESOURCE_SCOPE.length)
}

export function mayUseEndpoint(caller: Caller, endpoint: EndpointScope): boolean {
  const endpoints = caller.scopes?.filter((scope) => !OF_NO_ENDPOINT.test(scope))
  if (endpoints?.length && !endpoints.includes(endpoint)) return false
  return policyAllowsEndpoint(caller, endpoint)
}

export function policyAllowsEndpoint({ policy }: Caller, endpoint: EndpointScope): boolean {
  return !policy?.endpoints || policy.endpoints.includes(endpoint)
}

/** `model:openai/*` allows all of OpenAI's models. Without any `model:` scope, every model is allowed. */
export function mayUseModel(caller: Caller, model: string): boolean {
  return scopesAllowModel(caller, { name: model }) && policyAllowsModel(caller, { name: model })
}

/**
 * A model by its name. `requested` is the alias that led to it: what is allowed by the name of the alias is allowed through it.
 * `isIndirect`: the name does not say which model is used, so it has to be allowed exactly, or with all models of its provider.
 */
export type NamedModel = { name: string; requested?: string | undefined; isIndirect?: boolean | undefined }

export function scopesAllowModel({ scopes }: Caller, model: NamedModel): boolean {
  if (scopes === null) return true
  const patterns = scopes.flatMap((scope) => (scope.startsWith(MODEL_SCOPE) ? scope.slice(MODEL_SCOPE.length) : []))
  return patterns.length === 0 || allowedBy(patterns, model)
}

/** The project and the key may each have a list, and both have to allow the model. */
export function policyAllowsModel({ policy }: Caller, model: NamedModel): boolean {
  return policy === null || policy.models.every((patterns) => allowedBy(patterns, model))
}

function allowedBy(patterns: readonly string[], { name, requested, isIndirect }: NamedModel): boolean {
  if (requested !== undefined && patterns.some((pattern) => covers(pattern, requested))) return true
  if (!isIndirect) return patterns.some((pattern) => covers(pattern, name))
  const whole = `${name.slice(0, name.indexOf('/'))}/*`
  return patterns.some((pattern) => pattern === name || pattern === whole || pattern === '*')
}

/** What decides which models a key sees. */
export function sightOf({ kind, region, scopes, policy }: Caller): unknown[] {
  return [kind, region, scopes, policy && [policy.models, policy.dataPolicy, policy.region]]
}

/** Checks the scopes of a new key: a typo must not create a key that may do everything. */
export function checkScopes(scopes: readonly string[]): void {
  if (scopes.length === 0) throw refused(['body', 'scopes'], 'Leave scopes out for a key that may use everything')
  for (const [index, scope] of scopes.entries()) {
    if (isScope(scope)) continue
    const expected = `Scope should be one of ${ENDPOINT_SCOPES.join(', ')} or model:<pattern>`
    const hint = scopeHint(scope)
    throw refused(['body', 'scopes', index], hint === '' ? expected : `${expected}.${hint}`)
  }
}

/** The part behind a colon is a pattern of names, and not what was mistyped. */
function scopeHint(scope: string): string {
  const [word = '', ...pattern] = scope.split(':')
  if (pattern.length === 0) return didYouMean(word, ENDPOINT_SCOPES)
  const hint = didYouMean(word, ['model'])
  return hint.replace('model?', `model:${pattern.join(':') || '<pattern>'}?`)
}

export function isScope(text: string): boolean {
  return (ENDPOINT_SCOPES as readonly string[]).includes(text) || /^model:.+/.test(text)
}

function refused(loc: (string | number)[], msg: string) {
  return problem('validation_error', { message: msg, detail: [{ loc, msg, type: 'value_error' }] })
}

/** Whether a pattern names this model, or is the beginning of its name with a star. */
export function covers(pattern: string, model: string): boolean {
  return pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : pattern === model
}
