import type { Model } from '../catalog/catalog.ts'
import type { Provider } from '../config/provider-settings.ts'
import { tryParse } from '../json/try-parse.ts'
import { readText } from '../net/read-text.ts'
import { regionsOfModel } from '../providers/model-regions.ts'
import { countOf, type Fields, recordOf, recordsIn, textOf } from '../schema/record.ts'
import { GATEWAY_OWNER, type WireRequest } from '../wire/wire.ts'
import type { AppContext } from '../app/context.ts'
import { authorize } from './authorize.ts'

// The models of local servers are in no catalog, because each operator has others: the servers are asked. Only lists of models
// wait for them, never a chat.

const LIMITS = { connectMs: 500, headersMs: 1_500, idleMs: 1_500 }
const TOTAL_MS = 2_000
const KEPT_MS = 10_000
const MAX_BYTES = 1024 * 1024
const MAX_MODELS = 1_000
const MAX_NAME_CHARS = 500

type ModelListContext = Pick<AppContext, 'config' | 'catalog' | 'send' | 'now' | 'monotonic' | 'accessTokens'>
type Answer = { until: number; models: Promise<readonly Model[]> }

const answers = new WeakMap<AppContext['catalog'], Answer>()

/** What the local servers that answer report. All are asked at once; requests within ten seconds share the answers. */
export function reportedModels(context: ModelListContext): Promise<readonly Model[]> {
  const known = answers.get(context.catalog)
  if (known && context.monotonic() < known.until) return known.models
  const models = askAll(context)
  answers.set(context.catalog, { until: context.monotonic() + KEPT_MS, models })
  return models
}

async function askAll(context: ModelListContext): Promise<readonly Model[]> {
  const servers = Object.values(context.config.providers).filter(({ reportsModels }) => reportsModels)
  const lists = await Promise.all(servers.map((server) => ask(server, context).catch(() => [])))
  return lists.flat().filter(({ provider, id }) => !context.catalog.find(provider, id))
}

async function ask(provider: Provider, context: ModelListContext): Promise<Model[]> {
  const headers = { accept: 'application/json' }
  const request: WireRequest = { method: 'GET', url: `${provider.baseUrl}/models`, headers, body: null }
  const authorized = await authorize(request, provider, provider.credentials[0] ?? NO_CREDENTIAL, context)
  const signal = AbortSignal.timeout(TOTAL_MS)
  const { status, body } = await context.send(authorized, { signal, limits: LIMITS, owner: GATEWAY_OWNER })
  const text = await readText(body, MAX_BYTES)
  if (status !== 200) return []
  const rows = recordsIn(recordOf(tryParse(text)).data).filter(({ id }) => isName(textOf(id)))
  return rows.slice(0, MAX_MODELS).map((row) => toModel(row, provider, context))
}

const NO_CREDENTIAL = { secret: undefined, weight: 1 }

/** A name that callers can send. */
function isName(id: string): boolean {
  return id !== '' && id.length <= MAX_NAME_CHARS && !/[\p{Cc}\s]/u.test(id)
}

/** Neither the kind of the model nor its price is known. Most are chat models. */
function toModel({ id, created, max_model_len }: Fields, provider: Provider, { now }: ModelListContext): Model {
  const name = textOf(id)
  return {
    ...{ id: name, provider: provider.id, type: 'chat', output: null, price: null, can: [] },
    context: countOf(max_model_len) || null,
    created: countOf(created) || Math.floor(now() / 1000),
    regions: regionsOfModel(provider, name, undefined),
  }
}
