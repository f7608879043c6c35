import { valueError } from '../../../base/schema/issue-messages.ts'
import { type Fields, isRecord } from '../../../base/schema/record.ts'
import type { DataPolicy } from '../../../contract/admin/policy.ts'
import { problem } from '../../../contract/problems.ts'
import type { RoutingSort } from '../../../contract/routing.ts'
import { providerNamed } from '../../../platform/config/provider-named.ts'
import type { Provider } from '../../../platform/config/provider-settings.ts'
import type { Caller } from '../../../tenants/access/caller.ts'
import type { Notes } from '../../../translation/dialects/notes.ts'
import type { ResolvedModel } from '../names/resolved-model.ts'
import { promises } from '../router/policy-refusals.ts'

type Providers = Record<string, Provider>

type Preferring = {
  /** OpenRouter's object `provider`. */
  preferences: Fields
  /** What the request says in our words. */
  routing: Fields
  /** What its model stands for. */
  models: readonly ResolvedModel[]
  model: string | undefined
  caller: Pick<Caller, 'kind'>
}

/** Says which providers may be asked, for one member of the preferences. */
type Allows = (provider: Provider) => boolean

/** OpenRouter's preferences as our `routing`. Undefined if they change nothing of it. What we do not have is noted. */
export function routingIn(asked: Preferring, providers: Providers, notes: Notes): Fields | undefined {
  const rules: Allows[] = []
  const changed: Fields = { ...asked.routing }
  for (const [name, value] of Object.entries(asked.preferences)) {
    if (value == null || asksNothing(name, value) || isPartOfOrder(name, asked)) continue
    const field = `provider.${name}`
    const allows = restriction(name, value, asked, providers)
    if (allows) {
      refuseIfNone(field, allows, asked)
      rules.push(allows)
      notes.translated(field, 'it is `routing.allowed_providers` here')
    } else if (name === 'sort' && changed.sort == null && sortOf(value)) {
      changed.sort = sortOf(value)
      notes.translated(field, 'it is `routing.sort` here')
    } else if (name === 'allow_fallbacks' && value === false && changed.allow_fallbacks == null) {
      changed.allow_fallbacks = false
      notes.translated(field, 'it is `routing.allow_fallbacks` here')
    } else notes.dropped(field, REASONS[name] ?? 'the gateway has no such setting')
  }
  if (rules.length > 0) changed.allowed_providers = allowedBy(rules, changed.allowed_providers, providers)
  return Object.keys(changed).length > 0 ? changed : undefined
}

const REASONS: Readonly<Record<string, string>> = {
  order: 'models are tried in the order of `model` and `fallbacks`',
  sort: 'the gateway sorts by price, throughput or latency',
  allow_fallbacks: '`routing.allow_fallbacks` already says it',
  require_parameters: 'fields that a model does not take are noted',
}

/** Members with the value that they have anyway. */
function asksNothing(name: string, value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return NOTHING[name]?.includes(value) ?? false
}

/** Whether the member only says how the order is meant. */
function isPartOfOrder(name: string, { preferences: { order, allow_fallbacks } }: Preferring): boolean {
  return name === 'allow_fallbacks' && isOrderOnly(order, allow_fallbacks)
}

/** Without other providers as fallbacks, the order is all of them. */
function isOrderOnly(order: unknown, allowsFallbacks: unknown): boolean {
  return allowsFallbacks === false && isTexts(order) && order.length > 0
}

const NOTHING: Readonly<Record<string, readonly unknown[]>> = {
  allow_fallbacks: [true],
  require_parameters: [false],
  data_collection: ['allow'],
  zdr: [false],
}

function restriction(name: string, value: unknown, asked: Preferring, providers: Providers): Allows | undefined {
  const { preferences, caller } = asked
  if (name === 'data_collection' && value === 'deny') return keeping('no_training', caller)
  if (name === 'zdr' && value === true) return keeping('zero_retention', caller)
  if (!isTexts(value)) return undefined
  const isList = name === 'only' || (name === 'order' && isOrderOnly(value, preferences.allow_fallbacks))
  if (isList) return among(value, providers)
  if (name !== 'ignore') return undefined
  const ignored = among(value, providers)
  return (provider) => !ignored(provider)
}

/** A sandbox key calls no provider. */
function keeping(demanded: DataPolicy, { kind }: Pick<Caller, 'kind'>): Allows {
  return (provider) => kind === 'sandbox' || promises(provider, demanded)
}

/** OpenRouter's names may be written as titles, and may have a variant: `DeepInfra/fp8`. */
function among(names: readonly string[], providers: Providers): Allows {
  const found = names.map((name) => providerNamed(name.toLowerCase().split('/')[0]!, providers))
  const ids = new Set(found.flatMap((provider) => (provider ? idOf(provider) : [])))
  return (provider) => ids.has(idOf(provider))
}

function idOf({ chatOf, id }: Provider): string {
  return chatOf ?? id
}

/** Said here, because the caller would look for a list of allowed providers that it did not write. */
function refuseIfNone(field: string, allows: Allows, { models, model }: Preferring): void {
  if (models.length === 0 || models.some(({ provider }) => allows(provider))) return
  const names = [...new Set(models.map(({ provider }) => provider.name))].join(', ')
  const message = `'${model}' would go to ${names}, which \`${field}\` does not allow.`
  const detail = [valueError(['body', ...field.split('.')], message)]
  throw problem('validation_error', { message, param: 'provider', detail })
}

/** Our own list counts as well. */
function allowedBy(rules: readonly Allows[], own: unknown, providers: Providers): string[] {
  const listed = isTexts(own) ? own : Object.keys(providers).filter((id) => providers[id]!.dialect)
  return listed.filter((name) => {
    const provider = providerNamed(name, providers)
    // A name that means nothing here is refused later.
    return !provider || rules.every((allows) => allows(provider))
  })
}

const SORTS: Readonly<Record<string, RoutingSort>> = { price: 'cost', throughput: 'speed', latency: 'latency' }

/** A word, or an object with the word. */
function sortOf(value: unknown): RoutingSort | undefined {
  const word = isRecord(value) ? value.by : value
  return typeof word === 'string' && Object.hasOwn(SORTS, word) ? SORTS[word] : undefined
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
