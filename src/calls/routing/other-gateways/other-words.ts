import { type Fields, isRecord } from '../../../base/schema/record.ts'
import { valueError } from '../../../base/schema/issue-messages.ts'
import { problem } from '../../../contract/problems.ts'
import { MAX_RETRIES } from '../../../contract/routing.ts'
import type { Caller } from '../../../tenants/access/caller.ts'
import type { Note } from '../../../translation/dialects/chat-codec.ts'
import { Notes } from '../../../translation/dialects/notes.ts'
import type { Edit } from '../../../translation/json/edit-json.ts'
import type { Names } from '../names/alias-models.ts'
import type { ResolvedModel } from '../names/resolved-model.ts'
import { resolvedOrNone } from '../names/resolve-name.ts'
import { fallbacksIn, MAX_FALLBACKS, modelsIn } from './other-fallbacks.ts'
import { routingIn } from './provider-preferences.ts'

// What clients of LiteLLM, OpenRouter and Portkey write into a chat for the gateway itself, in our words. It is read before the
// contract checks the request, which would refuse some of it, and before a provider is chosen, because it may choose one. What
// stays in the body is dropped for each provider, with a note (`calls/upstream/governed-fields.ts`).

/** What a request says in the words of other gateways. */
export type OtherWords = {
  /** Turns the body into one in our words. */
  edit: Edit
  notes: readonly Note[]
  /** How long its caller waits. */
  timeoutMs?: number | undefined
  /** Words, each of which is a tag of the call. */
  tags: readonly string[]
}

/** The body of a chat, the model that its path names, and its caller. */
type AskedInWords = { body: Fields; pathModel?: string | undefined; caller: Caller }

/** Undefined if the request has only our own words, which is nearly always so. */
export function otherWords(asked: AskedInWords, services: Names): OtherWords | undefined {
  return hasOtherWords(asked.body) ? new Reading(asked, services).read() : undefined
}

function hasOtherWords(body: Fields): boolean {
  const { fallbacks, metadata, labels } = body
  return (
    FIELDS.some((field) => body[field] != null) ||
    (fallbacks != null && !isListOfTexts(fallbacks)) ||
    (isRecord(metadata) && Array.isArray(metadata.tags)) ||
    (isRecord(labels) && Array.isArray(labels.tags))
  )
}

const FIELDS = [
  ...['models', 'route', 'provider', 'num_retries', 'timeout', 'request_timeout', 'tags', 'guardrails'],
] as const

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

class Reading {
  readonly #body: Fields
  readonly #caller: Caller
  readonly #services: Names
  readonly #set: Fields = {}
  readonly #drop = new Set<string>()
  readonly #notes = new Notes()
  #model: string | undefined
  #timeoutMs: number | undefined
  readonly #tags: string[] = []

  constructor({ body, pathModel, caller }: AskedInWords, services: Names) {
    this.#body = body
    this.#caller = caller
    this.#services = services
    this.#model = typeof body.model === 'string' ? body.model : pathModel
  }

  read(): OtherWords {
    this.#readFallbacks()
    const models = this.#resolved()
    // The operator may let callers send such a field to a provider, and some providers have one of their own.
    const isOurs = (field: string) => !models.some(({ provider }) => provider.allowFields?.includes(field))
    if (isOurs('models')) this.#readModels()
    if (isOurs('route')) this.#readRoute()
    if (isOurs('provider') && !models.some(({ provider }) => isRecord(provider.governedFields?.provider)))
      this.#readPreferences(models)
    if (isOurs('num_retries')) this.#readRetries()
    for (const field of ['timeout', 'request_timeout']) if (isOurs(field)) this.#readTimeout(field)
    if (isOurs('tags')) this.#readTags()
    if (isOurs('guardrails')) this.#refuseGuardrails()
    const edit = { set: this.#set, drop: this.#drop, from: this.#body }
    return { edit, notes: this.#notes.list, timeoutMs: this.#timeoutMs, tags: this.#tags }
  }

  /** What the model of the request stands for; nothing for the router, and for names that are refused later. */
  #resolved(): readonly ResolvedModel[] {
    const name = this.#model
    if (name === undefined || name.startsWith('@')) return []
    return resolvedOrNone(name, { caller: this.#caller }, this.#services)?.models ?? []
  }

  #readFallbacks(): void {
    const { fallbacks } = this.#body
    if (fallbacks == null || isListOfTexts(fallbacks)) return
    const found = fallbacksIn(fallbacks, this.#model, this.#notes)
    if (!found) return
    this.#drop.add('fallbacks')
    if (found.length > 0) this.#tryNext('fallbacks', found)
  }

  /** OpenRouter's list of models: the first is asked first, unless `model` names another. */
  #readModels(): void {
    const models = modelsIn(this.#body.models)
    if (!models) return
    this.#drop.add('models')
    const { fallbacks } = this.#body
    if (this.#model === undefined) {
      this.#model = models[0]!
      this.#set.model = this.#model
    }
    const others = models.filter((name) => name !== this.#model)
    if (fallbacks == null) this.#tryNext('models', others)
    else if (others.length > 0) this.#notes.dropped('models', '`fallbacks` already says it')
  }

  #tryNext(field: string, names: readonly string[]): void {
    const tried = names.slice(0, MAX_FALLBACKS)
    if (tried.length > 0) this.#set.fallbacks = tried
    this.#notes.translated(field, 'the names are `fallbacks` here')
    if (tried.length < names.length) this.#notes.dropped(field, `only ${MAX_FALLBACKS} fallbacks are tried`)
  }

  /** OpenRouter's word for what its list of models does, and ours does, too. */
  #readRoute(): void {
    if (this.#body.route !== 'fallback') return
    this.#drop.add('route')
    this.#notes.translated('route', '`fallbacks` are always tried')
  }

  /** What the request says in our words, which a wrong type is refused for later. */
  get #routing(): Fields | undefined {
    const routing = this.#set.routing ?? this.#body.routing ?? {}
    return isRecord(routing) ? routing : undefined
  }

  #readPreferences(models: readonly ResolvedModel[]): void {
    const { provider } = this.#body
    const routing = this.#routing
    if (!isRecord(provider) || !routing) return
    const asked = { preferences: provider, routing, models, model: this.#model, caller: this.#caller }
    const changed = routingIn(asked, this.#services.config.providers, this.#notes)
    this.#drop.add('provider')
    if (changed) this.#set.routing = changed
  }

  /** LiteLLM's number of retries, as far as the gateway goes. */
  #readRetries(): void {
    const { num_retries: wanted } = this.#body
    const routing = this.#routing
    if (!Number.isInteger(wanted) || Number(wanted) < 0 || !routing) return
    this.#drop.add('num_retries')
    if (routing.retries != null) return this.#notes.dropped('num_retries', '`routing.retries` already says it')
    const retries = Math.min(Number(wanted), MAX_RETRIES)
    this.#set.routing = { ...routing, retries }
    this.#notes.translated('num_retries', `it is \`routing.retries\` here, with ${retries}`)
  }

  /** LiteLLM's time limit in seconds. A job has none. */
  #readTimeout(field: string): void {
    const seconds = this.#body[field]
    if (typeof seconds !== 'number' || !(seconds > 0) || this.#body.background === true) return
    const ms = Math.min(Math.ceil(seconds * 1000), MAX_TIMEOUT_MS)
    this.#timeoutMs = Math.min(ms, this.#timeoutMs ?? ms)
    this.#drop.add(field)
    this.#notes.translated(field, 'it limits all attempts together here, as the header `x-gatehouse-timeout-ms` does')
  }

  /** LiteLLM's tags are a list of words. Providers take texts only, and do not know the field. */
  #readTags(): void {
    const { tags } = this.#body
    if (isListOfTexts(tags)) {
      this.#drop.add('tags')
      this.#label('tags', tags)
    }
    for (const field of ['metadata', 'labels']) {
      const members = this.#body[field]
      if (!isRecord(members) || !isListOfTexts(members.tags)) continue
      const { tags: listed, ...rest } = members
      if (Object.keys(rest).length > 0) this.#set[field] = rest
      else this.#drop.add(field)
      this.#label(`${field}.tags`, listed as string[])
    }
  }

  /** LiteLLM's list of checks. Who names some does not want an answer without them. */
  #refuseGuardrails(): void {
    const { guardrails } = this.#body
    if (!Array.isArray(guardrails)) return
    this.#drop.add('guardrails')
    if (guardrails.length === 0) return
    const detail = [valueError(['body', 'guardrails'], NO_GUARDRAILS)]
    throw problem('validation_error', { message: `guardrails: ${NO_GUARDRAILS}`, param: 'guardrails', detail })
  }

  #label(field: string, names: readonly string[]): void {
    this.#tags.push(...names.slice(0, MAX_WORDS))
    this.#notes.translated(field, 'each is a tag of the call here, with the value `true`')
  }
}

const NO_GUARDRAILS =
  'The gateway runs `pre_hooks` and `post_hooks`, and the guardrails of its operators; it knows no others by name'

/** More tags than any call may have. */
const MAX_WORDS = 100

/** As many digits as the header may have. */
const MAX_TIMEOUT_MS = 999_999_999
