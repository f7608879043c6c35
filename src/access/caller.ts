import { ENDPOINT_SCOPES } from '../contract/admin/policy.ts'
import { problem } from '../contract/problems.ts'
import type { Region } from '../providers/provider.ts'
import type { KeyKind } from './api-keys.ts'
import type { CallerPolicy, EndpointScope } from './policy.ts'

/** The key that sent a request, and what it may do. */
export type Caller = {
  keyId: string
  /** For people. */
  keyName: string
  /** Whose files, jobs and responses the key uses: the id of its project, or its own id where keys do not share. */
  owner: string
  project: string
  organization: string
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

const MODEL_SCOPE = 'model:'

export function mayUseEndpoint({ scopes }: Caller, endpoint: EndpointScope): boolean {
  const endpoints = scopes?.filter((scope) => !scope.startsWith(MODEL_SCOPE))
  return !endpoints?.length || endpoints.includes(endpoint)
}

/** `model:openai/*` allows all of OpenAI's models. Without any `model:` scope, every model is allowed. */
export function mayUseModel({ scopes }: Caller, model: string): boolean {
  const patterns = scopes?.filter((scope) => scope.startsWith(MODEL_SCOPE))
  return !patterns?.length || patterns.some((pattern) => covers(pattern.slice(MODEL_SCOPE.length), model))
}

/** A name that does not say which model is used is allowed if a scope names it exactly, or allows all models of its provider. */
export function mayUseIndirect({ scopes }: Caller, model: string): boolean {
  const patterns = scopes
    ?.filter((scope) => scope.startsWith(MODEL_SCOPE))
    .map((scope) => scope.slice(MODEL_SCOPE.length))
  const whole = `${model.slice(0, model.indexOf('/'))}/*`
  return !patterns?.length || patterns.some((pattern) => pattern === model || pattern === whole || pattern === '*')
}

/** Checks the scopes of a new key: a typo must not create a key that may do everything. */
export function checkScopes(scopes: readonly string[]): void {
  if (scopes.length === 0) throw refused(['body', 'scopes'], 'Leave scopes out for a key that may use everything')
  for (const [index, scope] of scopes.entries()) {
    if ((ENDPOINT_SCOPES as readonly string[]).includes(scope) || /^model:.+/.test(scope)) continue
    throw refused(['body', 'scopes', index], `Scope should be one of ${ENDPOINT_SCOPES.join(', ')} or model:<pattern>`)
  }
}

function refused(loc: (string | number)[], msg: string) {
  return problem('validation_error', { message: msg, detail: [{ loc, msg, type: 'value_error' }] })
}

function covers(pattern: string, model: string): boolean {
  return pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : pattern === model
}
