import type { CallServices } from '../services/call-services.ts'
import { DAY_MS } from '../../base/units/units.ts'
import { maskUrls } from '../../base/redaction/mask-urls.ts'
import { endOf } from '../../platform/config/credentials/credential.ts'
import type { ProviderState, ProviderStateList } from '../../contract/admin/providers.ts'
import { addressVariable, type Provider } from '../../platform/config/provider-settings.ts'
import type { Model } from '../../platform/catalog/catalog.ts'
import { POPULAR_PROVIDERS, PROVIDERS } from '../../platform/providers/providers.ts'
import { regionsShown } from './model-object.ts'

// Providers for operators: which can be called, what the others lack, where they are, and what is known about their state.

type Services = Pick<CallServices, 'config' | 'catalog' | 'circuits' | 'observations'>

/** What the servers on the operator's machines said when they were asked last. */
type LocalAnswers = { models: readonly Model[]; unreachable: ReadonlyMap<string, string> }

/** Every provider: those that can be called first, then those that most people look for. */
export function watchProviders(services: Services, processName: string, local: LocalAnswers): ProviderStateList {
  const models = Map.groupBy([...services.catalog.list(), ...local.models], ({ provider }) => provider)
  const open = services.circuits.list().filter(({ state }) => state !== 'closed')
  const answering = answeringProviders(services)
  const items = Object.values(services.config.providers).map((provider): ProviderState => {
    const credentials = credentialsOf(provider, open)
    const because = local.unreachable.get(provider.id) ?? null
    return {
      id: provider.id,
      name: provider.name,
      configured: provider.configured,
      ...missingOf(provider),
      state: stateOf(provider, { isReachable: because === null, hasAnswered: answering.has(provider.id), credentials }),
      unreachable_because: because,
      local: provider.reportsModels !== undefined,
      simulated: provider.simulated === true,
      popularity: popularityOf(provider.id),
      models: models.get(provider.id)?.length ?? 0,
      ...addressOf(provider),
      credentials,
    }
  })
  return { process: processName, items: items.sort(byUse) }
}

/** The place among those that most people look for; null for all others. */
export function popularityOf(provider: string): number | null {
  const at = POPULAR_PROVIDERS.indexOf(provider)
  return at < 0 ? null : at + 1
}

type Known = { isReachable: boolean; hasAnswered: boolean; credentials: ProviderState['credentials'] }

/** A credential alone does not show that a provider answers, so a provider that was not asked yet is not called ready. */
function stateOf(provider: Provider, { isReachable, hasAnswered, credentials }: Known): ProviderState['state'] {
  if (!provider.configured) return 'not_set_up'
  if (!isReachable) return 'not_reachable'
  const failing = credentials.filter(({ state }) => state === 'failing').length
  if (failing > 0) return failing === credentials.length ? 'failing' : 'partly_failing'
  const isKnown = hasAnswered || provider.free === true || provider.reportsModels !== undefined
  return isKnown ? 'ready' : 'untested'
}

/** The providers that have answered a call of this process in the last day. */
function answeringProviders({ observations }: Services): Set<string> {
  const able = observations.targets.filter((target) => observations.hasSucceeded(target, undefined, DAY_MS))
  return new Set(able.map((target) => target.slice(0, target.indexOf('/'))))
}

type Circuit = ReturnType<Services['circuits']['list']>[number]

function credentialsOf({ id, credentials }: Provider, open: readonly Circuit[]): ProviderState['credentials'] {
  return credentials.map((credential, index) => {
    const asides = open.filter(({ name }) => isOf(name, id, index))
    return {
      index,
      name: credential.name ?? null,
      ends_with: endOf(credential),
      weight: credential.weight,
      state: asides.length > 0 ? 'failing' : 'ready',
      set_aside: asides.map(({ name, because, retryInMs }) => {
        return { model: name.split(' #')[0]!, because, retry_in_ms: retryInMs }
      }),
    }
  })
}

/** What is inside of the gateway has no address. */
function addressOf(provider: Provider) {
  const { id, baseUrl, regions = ['global'], dataPolicy, aliases = [] } = provider
  const isOutside = /^https?:/.test(baseUrl)
  return {
    base_url: isOutside ? maskUrls(baseUrl) : null,
    base_url_variable: isOutside ? (addressVariable(provider) ?? null) : null,
    address_set: isOutside && PROVIDERS[id] !== undefined && !PROVIDERS[id].params && baseUrl !== PROVIDERS[id].baseUrl,
    regions: regionsShown(regions),
    data_policy: dataPolicy ? { ...dataPolicy } : null,
    other_names: [...aliases],
  }
}

function missingOf({ missing }: Provider) {
  const { variables = [], all = false } = missing ?? {}
  return { missing: [...variables], missing_all: all, missing_for: missing?.for ?? null }
}

/** The name of a circuit is that of the model with the index of the credential: `openai/gpt-4o #0`. */
function isOf(circuit: string, provider: string, credential: number): boolean {
  const [model = '', index] = circuit.split(' #')
  return Number(index) === credential && model.startsWith(`${provider}/`)
}

function byUse(one: ProviderState, other: ProviderState): number {
  const rank = ({ popularity }: ProviderState) => popularity ?? Number.POSITIVE_INFINITY
  const byCall = Number(other.configured) - Number(one.configured)
  if (byCall !== 0 || rank(one) !== rank(other)) return byCall || rank(one) - rank(other)
  return one.id < other.id ? -1 : 1
}
