import type { Config } from '../../platform/config/config.ts'
import type { Credential, Provider } from '../../platform/config/provider-settings.ts'
import { addressVariable } from '../../platform/config/provider-settings.ts'
import { AccessTokens } from '../../platform/net/identity/access-tokens.ts'
import type { Senders } from '../../platform/net/identity/ask.ts'
import { isOwnUrl } from '../../platform/net/egress/own-listeners.ts'
import { maskUrls } from '../../base/redaction/mask-urls.ts'
import { authorize } from '../../calls/upstream/authorize.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import {
  type FailureKind,
  GATEWAY_OWNER,
  type Send,
  WireFailure,
  type WireResponse,
} from '../../translation/wire/wire.ts'
import { compareClocks } from './check-clock.ts'
import { failed, type Finding, ok, warning } from './finding.ts'

const TIMEOUTS = { connectMs: 5_000, headersMs: 10_000, idleMs: 10_000 }
const TOTAL_MS = 20_000
const NO_CREDENTIAL: Credential = { secret: undefined, weight: 1 }

/** Which providers can be used, by the settings alone. */
export function listProviders({ providers }: Config): Finding {
  const remote = Object.values(providers).filter(isRemote)
  const names = remote.filter(({ configured, reportsModels }) => configured && !reportsModels).map(({ id }) => id)
  if (names.length > 0) return ok('providers', `configured: ${names.join(', ')}. Add --providers to call them.`)
  const advice = 'Set the key of a provider, such as OPENAI_API_KEY. sandbox/echo works without any.'
  return warning('providers', 'No provider has a credential.', advice)
}

/** Asks every configured provider for its models, with each of its credentials. */
export async function callProviders(config: Config, senders: Senders): Promise<Finding[]> {
  const clocks = { now: Date.now, monotonic: () => performance.now() }
  const services = { ...clocks, send: senders.send, accessTokens: new AccessTokens(senders, clocks) }
  const called = Object.values(config.providers).filter((provider) => isCalled(provider, config))
  return (await Promise.all(called.map((provider) => callProvider(provider, services)))).flat()
}

/** Local servers are in the table for everybody, and some at our own port: they count if the operator gave an address. */
function isCalled(provider: Provider, { source, host, port }: Config): boolean {
  if (!isRemote(provider) || !provider.configured || isOwnUrl(provider.baseUrl, [{ address: host, port }])) return false
  return !provider.reportsModels || Boolean(source.environment[addressVariable(provider) ?? ''])
}

type CheckServices = { send: Send; now(): number; accessTokens: AccessTokens }

/** The sandbox and the engines are inside of the gateway. */
function isRemote({ baseUrl }: Provider): boolean {
  return /^https?:/.test(baseUrl)
}

async function callProvider(provider: Provider, services: CheckServices): Promise<Finding[]> {
  const credentials = provider.credentials.length > 0 ? provider.credentials : [NO_CREDENTIAL]
  const lists = await Promise.all(
    credentials.map(async (credential, index) => {
      const which = credentials.length > 1 ? ` (credential ${index + 1} of ${credentials.length})` : ''
      return await callWith(provider, { credential, which }, services)
    }),
  )
  const findings = lists.flat()
  // Several credentials of a provider that cannot be reached are one finding.
  return findings.filter((one, index) => findings.findIndex(({ text }) => text === one.text) === index)
}

type Used = { credential: Credential; which: string }

async function callWith(provider: Provider, { credential, which }: Used, services: CheckServices): Promise<Finding[]> {
  const address = maskUrls(provider.baseUrl)
  try {
    const reply = await askForModels(provider, credential, services)
    return [
      judge(provider, `${provider.id} at ${address}`, which, reply.status),
      ...clockFindings(provider, reply, services),
    ]
  } catch (error) {
    if (error instanceof UpstreamProblem)
      return [failed('provider', `${provider.id} refuses the credential${which}.`, checkCredential(provider))]
    if (!(error instanceof WireFailure)) throw error
    return [unreachable(provider, address, error)]
  }
}

/** Most servers say what time it is. Only a clock that is wrong is worth a line. */
function clockFindings({ id }: Provider, { headers }: WireResponse, { now }: CheckServices): Finding[] {
  const told = typeof headers.date === 'string' ? Date.parse(headers.date) : Number.NaN
  if (Number.isNaN(told)) return []
  const finding = compareClocks(id, told, now())
  return finding.state === 'ok' ? [] : [finding]
}

async function askForModels(
  provider: Provider,
  credential: Credential,
  services: CheckServices,
): Promise<WireResponse> {
  const url = `${provider.baseUrl}/models`
  const request = { method: 'GET' as const, url, headers: { accept: 'application/json' }, body: null }
  const authorized = await authorize(request, provider, credential, services)
  const signal = AbortSignal.timeout(TOTAL_MS)
  const reply = await services.send(authorized, { signal, timeouts: TIMEOUTS, owner: GATEWAY_OWNER })
  // The answer is not needed, and leaving the loop closes the connection.
  for await (const _ of reply.body) break
  return reply
}

/** Not every provider lists its models, so an answer other than a refusal only says that a server is there. */
function judge(provider: Provider, address: string, which: string, status: number): Finding {
  if (status === 401 || status === 403)
    return failed('provider', `${address} refuses the credential${which} (${status}).`, checkCredential(provider))
  if (status >= 500)
    return warning('provider', `${address} answers with an error (${status}).`, 'Try again later, or ask the provider.')
  if (status < 300)
    return ok(
      'provider',
      `${address} answers${provider.credentials.length > 0 ? ` and accepts the credential${which}` : ''}`,
    )
  return ok('provider', `${address} answers (${status}); that does not check the credential${which}`)
}

function checkCredential({ auth }: Provider): string {
  return `Check ${auth.env ?? 'the credential'}: a key may be mistyped, revoked, or of another account or region.`
}

function unreachable(provider: Provider, address: string, { kind, message, cause }: WireFailure): Finding {
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  const text = `${provider.id} at ${address} cannot be reached: ${message}${code ? ` (${code})` : ''}.`
  const variable = addressVariable(provider)
  return failed(
    'provider',
    text,
    `${HINTS[kind] ?? OTHER_HINT}${variable ? ` Its address is set with ${variable}.` : ''}`,
  )
}

const OTHER_HINT = 'Check the address, the firewall and the proxy (HTTPS_PROXY).'

const HINTS: Partial<Record<FailureKind, string>> = {
  dns: 'Check the name for typing errors, and the DNS of this machine; behind a proxy, set HTTPS_PROXY.',
  refused: 'Check that the server runs, and its port.',
  tls: 'Check the address (https or http) and the clock; for a private authority, set NODE_EXTRA_CA_CERTS to its certificate.',
  proxy: 'Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY, and that the proxy allows this host.',
  connect_timeout: 'Check the firewall; behind a proxy, set HTTPS_PROXY.',
}
