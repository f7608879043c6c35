import { pricedModels, type TaskPrice, taskPrice, defaultModel } from '../src/platform/catalog/task-prices.ts'
import { defaultModelField, defaultModels } from '../src/endpoints/universal/default-models.ts'
import { DRAWN_FROM } from '../src/endpoints/universal/task-images.ts'
import { acceptedBy } from '../src/translation/tasks/accepted-by.ts'
import { findAdapter, providersOf } from '../src/translation/tasks/adapters.ts'
import type { Accepted } from '../src/translation/tasks/inputs/accept-file.ts'
import type { Feature } from '../src/translation/tasks/feature.ts'

type ProviderRow = { model: string; price: string; files: string }

/** The providers of a task: a row for each provider, and one for each of its models that has its own price. */
export async function providerRows(feature: Feature): Promise<ProviderRow[]> {
  const rows = await Promise.all(providersOf(feature).map((provider) => rowsOf(feature, provider)))
  return [...rows.flat(), ...modelRows(feature)]
}

/** A model costs the same as on the endpoint of its kind. */
function modelRows(feature: Feature): ProviderRow[] {
  const task = `${feature.feature}/${feature.subfeature}`
  const isDrawn = defaultModelField(feature) === 'defaultImageModel'
  const price = `as on \`/v3/${isDrawn ? 'images/generations' : 'embeddings'}\``
  return [...defaultModels(feature)].map(([provider, fallback]) => {
    return { model: `\`${task}/${provider}\` (\`${fallback}\`)`, price, files: isDrawn ? filesOf(DRAWN_FROM) : '' }
  })
}

async function rowsOf(feature: Feature, provider: string): Promise<ProviderRow[]> {
  const task = `${feature.feature}/${feature.subfeature}`
  const accepted = await acceptedBy(feature, await findAdapter(feature, provider)!())
  const fallback = defaultModel(task, provider)
  const named = fallback ? `\`${task}/${provider}\` (\`${fallback}\`)` : `\`${task}/${provider}\``
  const own = { model: named, price: priceOf(taskPrice(task, provider, null)), files: filesOf(accepted) }
  const others = pricedModels(task, provider).filter((model) => model !== fallback)
  const more = others.map((model) => {
    return { model: `\`…/${provider}/${model}\``, price: priceOf(taskPrice(task, provider, model)), files: '' }
  })
  return [own, ...more]
}

function priceOf(price: TaskPrice | null): string {
  if (!price) return 'not known'
  if (price.price === 0) return 'free'
  const many = price.per === 1 ? price.unit : `${price.per.toLocaleString('en')} ${price.unit}s`
  return `$${price.price} per ${many}`
}

/** Well-known file extensions of types with other names. */
const ENDINGS: Readonly<Record<string, string>> = {
  'application/msword': 'doc',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/wave': 'wav',
  'image/vnd.microsoft.icon': 'ico',
  'image/x-icon': 'ico',
  'text/plain': 'txt',
  'video/quicktime': 'mov',
}

function filesOf(accepted: Accepted | null): string {
  if (!accepted) return ''
  const { types, megabytes, pages } = accepted
  const kinds = [...new Set(types.map(shortName))].join(', ')
  const limits = [megabytes && `${megabytes} MB`, pages && `${pages} page${pages > 1 ? 's' : ''}`].filter(Boolean)
  return limits.length > 0 ? `${kinds}; up to ${limits.join(', ')}` : kinds
}

/** `pdf` for `application/pdf`. A wildcard type stays as it is. */
function shortName(type: string): string {
  if (type.endsWith('/*')) return type
  return ENDINGS[type] ?? type.replace(/^[a-z]+\/(x-)?/, '').replace(/\+xml$/, '')
}
