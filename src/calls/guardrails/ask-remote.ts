import { headerSecrets } from '../../base/redaction/header-secrets.ts'
import { jsonWithoutSecrets } from '../../base/redaction/without-secrets.ts'
import type { Static, TSchema } from '../../base/schema/type.ts'
import { ownOf } from '../../base/schema/record.ts'
import { MB } from '../../base/units/units.ts'
import { variableIn } from '../../platform/config/guardrails/variable-in.ts'
import type { Provider } from '../../platform/config/provider-settings.ts'
import { readText } from '../../platform/net/read-text.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import type {
  CheckedText,
  GuardAuth,
  GuardContext,
  GuardRequest,
  RemoteCheck,
  Verdict,
} from '../../translation/guardrails/check.ts'
import { type Part, partsOf, wholeVerdict } from '../../translation/guardrails/parts.ts'
import { signatureHeaders } from '../../translation/guardrails/remote/signature.ts'
import type { WireRequest } from '../../translation/wire/wire.ts'
import type { CallServices } from '../services/call-services.ts'
import { providerSecrets } from '../attempts/provider-secrets.ts'
import { authorize, authorizeForService } from '../upstream/authorize.ts'
import { askParts } from './ask-parts.ts'
import { GuardFailure } from './guard-failure.ts'

// Asks a service outside of the gateway, by the way that requests to providers take. A redirect is an answer like others and is not
// followed: the request has a secret and the texts of callers, which are for this address only.

const MAX_REPLY_BYTES = 4 * MB
const WRONG_CREDENTIALS = new Set([401, 403])

type RemoteAsk<Params extends TSchema = TSchema> = {
  check: RemoteCheck<Params>
  params: Static<Params>
  context: GuardContext
}

/** `signal` is that of the call with the time limit of the guardrail. */
type Asking = { signal: AbortSignal; owner: string; services: GuardSender }
export type GuardSender = Pick<CallServices, 'config' | 'send' | 'timeouts' | 'now' | 'newId'> & {
  accessTokens: Pick<CallServices['accessTokens'], 'tokenFor' | 'awsKeysFor'>
}

export async function askRemote(texts: readonly CheckedText[], ask: RemoteAsk, asking: Asking): Promise<Verdict> {
  const parts = partsOf(texts, ask.check)
  const verdicts = await askParts(parts, (part) => askAboutPart(part, ask, asking))
  return wholeVerdict(texts, parts, verdicts)
}

async function askAboutPart({ texts }: Part, { check, params, context }: RemoteAsk, asking: Asking): Promise<Verdict> {
  const { request, secrets } = await authorized(
    check.request(texts, params, context),
    check.auth(params),
    credentialIn(params),
    asking.services,
  )
  const reply = await send(request, asking)
  // Texts that the service has rewritten go to models and callers.
  return check.read(jsonWithoutSecrets(reply, secrets), texts, params)
}

async function send(request: WireRequest, { signal, owner, services }: Asking): Promise<unknown> {
  const { status, body } = await services.send(request, { signal, owner, timeouts: services.timeouts })
  if (status >= 200 && status < 300) return tryParse(await readText(body, MAX_REPLY_BYTES))
  await body[Symbol.asyncIterator]().return?.()
  if (WRONG_CREDENTIALS.has(status))
    throw new GuardFailure('credentials', `the service refuses the credential (${status})`)
  if (status >= 300 && status < 400) throw new GuardFailure('failed', `the service answers with a redirect (${status})`)
  throw new GuardFailure('failed', `the service answers with status ${status}`)
}

function credentialIn(params: unknown): string | undefined {
  const { credential } = params as { credential?: string | null }
  return credential ?? undefined
}

type Authorizing = Pick<GuardSender, 'config' | 'now' | 'accessTokens' | 'newId'>

/** A request that may be sent, and what its answer must not show. */
type Authorized = { request: WireRequest; secrets: readonly string[] }

async function authorized(
  { url, headers, body }: GuardRequest,
  auth: GuardAuth,
  credential: string | undefined,
  services: Authorizing,
): Promise<Authorized> {
  const text = JSON.stringify(body)
  const request: WireRequest = {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: text,
  }
  if (auth.kind === 'provider') return await authorizedByProvider(request, auth, credential, services)
  const secret = secretOf(credential, auth, services)
  if (secret === undefined) return { request, secrets: [] }
  if (auth.kind === 'signature') return withHeaders(request, signed(secret, text, services), [secret])
  const value = withPrefix(auth.prefix, secret)
  return withHeaders(request, { [auth.header]: value }, headerSecrets(value))
}

function withHeaders(request: WireRequest, proof: Record<string, string>, secrets: readonly string[]): Authorized {
  return { request: { ...request, headers: { ...request.headers, ...proof } }, secrets }
}

function signed(secret: string, body: string, { now, newId }: Authorizing): Record<string, string> {
  return signatureHeaders(secret, { id: newId(), timestamp: Math.floor(now() / 1000), body })
}

function withPrefix(prefix: string | undefined, secret: string): string {
  return prefix ? `${prefix} ${secret}` : secret
}

function secretOf(
  credential: string | undefined,
  auth: { isOptional?: boolean },
  { config }: Authorizing,
): string | undefined {
  if (credential === undefined && auth.isOptional) return undefined
  const name = variableIn(credential)
  const secret = name === undefined ? undefined : config.source.environment[name]
  if (secret) return secret
  throw new GuardFailure('credentials', 'the variable with the credential is not set')
}

const PROVIDER = 'provider:'

async function authorizedByProvider(
  request: WireRequest,
  auth: GuardAuth & { kind: 'provider' },
  named: string | undefined,
  services: Authorizing,
): Promise<Authorized> {
  const provider = providerOf(named?.slice(PROVIDER.length) ?? auth.provider, services)
  const [credential] = provider.credentials
  if (!credential) throw new GuardFailure('credentials', `${provider.name} has no credential`)
  const placed = request.url.startsWith('/') ? { ...request, url: provider.baseUrl + request.url } : request
  const sent =
    auth.service === undefined
      ? await authorize(placed, provider, credential, services)
      : await authorizeForService(placed, { provider, credential, service: auth.service }, services)
  return { request: sent, secrets: [...providerSecrets(provider), ...headerSecrets(sent.headers.authorization ?? '')] }
}

function providerOf(id: string, { config }: Authorizing): Provider {
  const provider = ownOf(config.providers, id)
  if (provider?.configured) return provider
  throw new GuardFailure('credentials', `the provider ${id} is not configured`)
}
