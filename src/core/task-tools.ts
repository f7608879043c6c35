import type { Credential, Provider } from '../config/provider-settings.ts'
import { problem } from '../contract/problems.ts'
import { redacted } from '../contract/redacted.ts'
import { nameOfExchange } from '../contract/token-exchange.ts'
import type { SendOptions, WireRequest } from '../contract/wire.ts'
import type { Proof, Tools } from '../features/feature.ts'
import { isInRegion } from '../providers/model-regions.ts'
import { authorize, withAddressCredential } from './authorize.ts'
import type { Call } from './call.ts'
import type { Caller } from './caller.ts'
import { keepResult } from './files.ts'
import { outsideRegion } from './find-model.ts'
import type { Outside } from './outside.ts'
import { isPlaced, placeSecret } from './place-secret.ts'
import { countedBody } from './read-answer.ts'
import { linkTo } from './result-links.ts'
import type { TaskTarget } from './task-route.ts'

/** The way out for an adapter: its provider's addresses, a proof of who we are, and a place for files that it makes. */
export function toolsFor(
  { provider }: Pick<TaskTarget, 'provider'>,
  credential: Credential,
  call: Call,
  outside: Outside,
): Tools {
  return {
    send: (request, options) => countedSend(request, options, call, outside),
    limits: outside.limits,
    signal: call.signal,
    address: (service) => addressOf(provider, service, call.caller),
    setting: (...names) => settingOf(provider, names),
    authorize: (request, proof = {}) => prove(request, proof, provider, credential, outside),
    redacted: (text) => withoutOurs(text, provider, credential),
    keep: async (file) => linkTo(await keepResult(file, call.caller.owner, outside.files), outside.links),
    engine: (name, input) => outside.engine(name, input, call.signal, call.caller.owner),
  }
}

/** An adapter gathers what it is answered with. */
async function countedSend(request: WireRequest, options: Omit<SendOptions, 'owner'>, call: Call, outside: Outside) {
  const response = await outside.send(request, { ...options, owner: call.caller.owner })
  return { ...response, body: countedBody(response, Number.POSITIVE_INFINITY, call, outside) }
}

/** What is missing is asked for by its variable. Where the provider's own address is was seen when the task was routed. */
function addressOf(provider: Provider, service: string | undefined, caller: Caller): string {
  const address = service === undefined ? provider.baseUrl : provider.services?.[service]
  if (address === undefined) throw new Error(`${provider.id} has no service ${service}`)
  if (service !== undefined && !isInRegion(caller.region, provider.serviceRegions?.[service]))
    throw outsideRegion(`${provider.name}: what does this task`, caller)
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

function prove(request: WireRequest, proof: Proof, provider: Provider, credential: Credential, outside: Outside) {
  if (isPlaced(proof)) return placeSecret(withAddressCredential(request, provider), proof, credential.secret ?? '')
  return authorize(request, provider, credential, outside, proof.service)
}

/** Neither our secrets nor where the provider was asked. */
function withoutOurs(text: string, provider: Provider, credential: Credential): string {
  const secrets = secretsOf(provider, credential)
  const addresses = [provider.baseUrl, ...Object.values(provider.services ?? {})]
  return addresses.reduce((words, baseUrl) => redacted(words, { secrets, baseUrl }), text)
}

/** The parts of a secret are as secret as the whole. */
function secretsOf({ serviceCredential, addressCredential }: Provider, credential: Credential): string[] {
  const all = [credential, ...(serviceCredential ? [serviceCredential] : [])].flatMap(({ secret, aws, exchange }) => {
    const parts = secret?.includes(':') ? secret.split(':') : []
    return [secret, ...parts, aws?.accessKeyId, aws?.secretAccessKey, aws?.sessionToken, nameOfExchange(exchange)]
  })
  return [...all, ...(addressCredential?.secrets ?? [])].filter(
    (one) => one !== undefined && one.length > 3,
  ) as string[]
}
