import type { Credential, Provider } from '../../platform/config/provider-settings.ts'
import { problem } from '../../contract/problems.ts'
import { redacted } from '../../base/redaction/redacted.ts'
import type { WireRequest, SendReport } from '../../translation/wire/wire.ts'
import type { Proof, Tools } from '../../translation/tasks/feature.ts'
import { isInRegion } from '../../platform/providers/model-regions.ts'
import { authorize, authorizeForService, withAddressCredential } from './authorize.ts'
import { providerSecrets } from '../attempts/provider-secrets.ts'
import type { Call } from '../call.ts'
import type { Caller } from '../../tenants/access/caller.ts'
import { keepsNothing } from '../../tenants/access/policy.ts'
import { keepResult } from '../files/files.ts'
import { outsideRegion } from '../routing/names/refusals.ts'
import type { CallServices } from '../services/call-services.ts'
import { isPlaced, applyAuth } from './apply-auth.ts'
import { countedBody } from './read-answer.ts'
import { linkTo } from '../files/result-links.ts'

/** What an adapter needs to call its provider: addresses, credentials, and a place for result files. */
export function toolsFor(
  { provider }: { provider: Provider },
  { credential, report, call, services }: Reaching,
): Tools {
  return {
    send: (request, options) => countedSend(request, options, { report, call, services }),
    timeouts: services.timeouts,
    signal: call.signal,
    now: services.now,
    address: (service) => addressOf(provider, service, call.caller),
    setting: (...names) => settingOf(provider, names),
    authorize: (request, proof = {}) => prove(request, proof, { provider, credential }, services),
    redacted: (text) => redactOurs(text, provider),
    keep: (file) => linkToResult(file, call, services),
    engine: (name, input) => services.engine(name, input, call.signal, call.caller.owner),
  }
}

/** With which credential, for which exchange. */
type Reaching = { credential: Credential; report: SendReport; call: Call; services: CallServices }

type ResultFile = Parameters<Tools['keep']>[0]

/** Where nothing may be stored, the address holds the bytes themselves. */
async function linkToResult(
  file: ResultFile,
  { caller, record: { labels } }: Call,
  { files, links, dryRun }: Pick<CallServices, 'files' | 'links' | 'dryRun'>,
): Promise<string> {
  if (dryRun) return `[link to ${file.name}]`
  if (keepsNothing(caller.policy)) return dataUrl(file)
  return linkTo(await keepResult({ ...file, endUser: labels.endUser }, caller, files), links)
}

function dataUrl({ type, bytes }: ResultFile): string {
  return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
}

/**
 * An adapter collects its provider's answer in memory, so the answer is counted. A caller that leaves during a free request
 * pays nothing.
 */
async function countedSend(
  request: WireRequest,
  { isFree, ...options }: Parameters<Tools['send']>[1],
  { report, call, services }: Omit<Reaching, 'credential'>,
) {
  const { owner } = call.caller
  const response = await services.send(request, { ...options, owner, report: isFree ? { ...report } : report })
  return { ...response, body: countedBody(response, Number.POSITIVE_INFINITY, call, services) }
}

/**
 * If a part of the address is not set, the error names its variable. The region of the provider's own address was checked
 * when the task was routed.
 */
function addressOf(provider: Provider, service: string | undefined, caller: Caller): string {
  const address = service === undefined ? provider.baseUrl : provider.services?.[service]
  if (address === undefined) throw new Error(`${provider.id} has no service ${service}`)
  if (service !== undefined && !isInRegion(caller.region, provider.serviceRegions?.[service]))
    throw outsideRegion(`${provider.name}: the service for this task`, caller)
  const missing = /\{(\w+)\}/.exec(address)?.[1]
  if (!missing) return address
  throw unset(provider, [missing])
}

function settingOf(provider: Provider, names: readonly string[]): { name: string; value: string } {
  for (const name of names) {
    const value = provider.settings?.[name]
    if (value) return { name, value }
  }
  throw unset(provider, names)
}

function unset({ name }: Provider, names: readonly string[]) {
  const message = `${name}: this task needs a setting that is missing here. Set ${names.join(' or ')} and restart.`
  return problem('provider_not_configured', { message, param: 'model' })
}

type Access = { provider: Provider; credential: Credential }

function prove(
  request: WireRequest,
  proof: Proof,
  { provider, credential }: Access,
  services: Pick<CallServices, 'now' | 'accessTokens'>,
) {
  if (isPlaced(proof)) return applyAuth(withAddressCredential(request, provider), proof, credential.secret ?? '')
  const { service } = proof
  if (service) return authorizeForService(request, { provider, credential, service }, services)
  return authorize(request, provider, credential, services)
}

/** Hides our secrets and the provider's addresses. */
function redactOurs(text: string, provider: Provider): string {
  const secrets = providerSecrets(provider)
  const addresses = [provider.baseUrl, ...Object.values(provider.services ?? {})]
  return addresses.reduce((words, baseUrl) => redacted(words, { secrets, baseUrl }), text)
}
