import type { Model, ModelType } from '../../platform/catalog/catalog.ts'
import type { Provider } from '../../platform/config/provider-settings.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { isOwnUrl } from '../../platform/net/egress/own-listeners.ts'
import { readText } from '../../platform/net/read-text.ts'
import { regionsOfModel } from '../../platform/providers/model-regions.ts'
import { countOf, type Fields, recordOf, recordsIn, textOf } from '../../base/schema/record.ts'
import { GATEWAY_OWNER, WireFailure, type WireRequest } from '../../translation/wire/wire.ts'
import type { CallServices } from '../services/call-services.ts'
import { authorize } from './authorize.ts'
import { keepReported } from '../routing/names/reported-names.ts'
import { type AskServer, embeddingModels } from '../routing/reported-kinds.ts'
import { MB } from '../../base/units/units.ts'

// The models of local servers are in no catalog, because each operator has others: the servers are asked. Only lists of
// models and calls with unknown names wait for them, never another chat.

/** A server of this machine or network accepts a connection at once, or not at all. */
const CONNECT_PART = 1 / 4
const KEPT_MS = 10_000
const MAX_BYTES = MB
const MAX_MODELS = 1_000
const MAX_NAME_CHARS = 500

type ModelListServices = Pick<
  CallServices,
  'config' | 'catalog' | 'send' | 'now' | 'monotonic' | 'accessTokens' | 'ownListeners' | 'localModelsMs'
>
type Answer = { until: number; servers: Promise<LocalServers> }

/** `unreachable`: why a server did not answer, by the id of its provider. */
type LocalServers = { models: readonly Model[]; unreachable: ReadonlyMap<string, string> }

const answers = new WeakMap<CallServices['catalog'], Answer>()

/** The models of the local servers that answer. */
export async function reportedModels(services: ModelListServices): Promise<readonly Model[]> {
  return (await askLocalServers(services)).models
}

/**
 * What the local servers report, and which of them do not answer. Only the addresses of the configuration are asked, all at once;
 * requests within ten seconds share the answers.
 */
export function askLocalServers(services: ModelListServices): Promise<LocalServers> {
  const cached = answers.get(services.catalog)
  if (cached && services.monotonic() < cached.until) return cached.servers
  const servers = askAll(services)
  answers.set(services.catalog, { until: services.monotonic() + KEPT_MS, servers })
  return servers
}

async function askAll(services: ModelListServices): Promise<LocalServers> {
  const own = services.ownListeners()
  const unreachable = new Map<string, string>()
  const askOne = async (server: Provider): Promise<Model[]> => {
    if (isOwnUrl(server.baseUrl, own)) unreachable.set(server.id, 'this is the address of the gateway itself')
    else
      try {
        return await ask(server, services)
      } catch (error) {
        const because = reasonOf(error)
        if (because !== undefined) unreachable.set(server.id, because)
      }
    return []
  }
  const servers = Object.values(services.config.providers).filter(({ reportsModels }) => reportsModels)
  const lists = await Promise.all(servers.map(askOne))
  const models = lists.flat().filter(({ provider, id }) => !services.catalog.find(provider, id))
  keepReported(services.catalog, models)
  return { models, unreachable }
}

/** Undefined if a server has answered, whatever it said. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof DOMException) return 'the server does not answer in time'
  return error instanceof WireFailure ? error.message.replace('the provider', 'the server') : undefined
}

async function ask(provider: Provider, services: ModelListServices): Promise<Model[]> {
  const signal = AbortSignal.timeout(services.localModelsMs)
  const askServer: AskServer = async (path, body) => recordOf(await askJson(provider, path, body, { signal, services }))
  const rows = recordsIn((await askServer('/models')).data).filter(({ id }) => isName(textOf(id)))
  const some = rows.slice(0, MAX_MODELS)
  // Models whose kind the server does not state count as chat models.
  const embedding = await embeddingModels(
    provider.reportsModels,
    some.map(({ id }) => textOf(id)),
    askServer,
  ).catch(() => new Set<string>())
  return some.map((row) => toModel(row, embedding.has(textOf(row.id)) ? 'embedding' : 'chat', provider, services))
}

type Ask = { signal: AbortSignal; services: ModelListServices }

async function askJson(provider: Provider, path: string, body: object | undefined, { signal, services }: Ask) {
  const request: WireRequest = {
    method: body ? 'POST' : 'GET',
    url: new URL(`${provider.baseUrl}${path}`).href,
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
    body: body ? JSON.stringify(body) : null,
  }
  const authorized = await authorize(request, provider, provider.credentials[0] ?? NO_CREDENTIAL, services)
  const { localModelsMs: totalMs } = services
  const timeouts = { connectMs: totalMs * CONNECT_PART, headersMs: totalMs, idleMs: totalMs }
  const reply = await services.send(authorized, { signal, timeouts, owner: GATEWAY_OWNER })
  const text = await readText(reply.body, MAX_BYTES)
  return reply.status === 200 ? tryParse(text) : undefined
}

const NO_CREDENTIAL = { secret: undefined, weight: 1 }

/** A name that callers can send. */
function isName(id: string): boolean {
  return id !== '' && id.length <= MAX_NAME_CHARS && !/[\p{Cc}\s]/u.test(id)
}

/** The price is not known. */
function toModel(
  { id, created, max_model_len }: Fields,
  type: ModelType,
  provider: Provider,
  { now }: ModelListServices,
): Model {
  const name = textOf(id)
  return {
    id: name,
    provider: provider.id,
    type,
    output: null,
    price: null,
    can: [],
    context: countOf(max_model_len) || null,
    created: countOf(created) || Math.floor(now() / 1000),
    regions: regionsOfModel(provider, name, undefined),
  }
}
