import type {
  ChatRefusal,
  Lacking,
  Maker,
  ModelTraits,
  ThinkingField,
  ThinkingTraits,
} from '../../translation/dialects/model-traits.ts'
import {
  type Capability,
  type Catalog,
  type Flaw,
  type Model,
  type ModelType,
  OPERATOR,
  type SteppedRates,
} from './catalog.ts'

type Test = (value: unknown) => boolean
type Tests<Thing> = Record<keyof Required<Thing>, Test>

// Records, so that a new member of these types is a compile error here until it is added.
const TYPES: Record<ModelType, true> = {
  chat: true,
  image: true,
  responses: true,
  embedding: true,
  speech: true,
  transcription: true,
  moderation: true,
  rerank: true,
  video: true,
}
/** All kinds of models. */
export const MODEL_TYPES = Object.keys(TYPES) as ModelType[]

const CAPABILITIES: Record<Capability, true> = {
  vision: true,
  reasoning: true,
  tools: true,
  files: true,
  json_schema: true,
  audio: true,
  web_search: true,
}
const FIELDS: Record<ThinkingField, true> = {
  reasoning_effort: true,
  thinking: true,
  thinking_budget: true,
  enable_thinking: true,
  reasoning: true,
  reasoning_enabled: true,
  chat_template_kwargs: true,
}
const MODEL_MAKERS: Record<Maker, true> = {
  anthropic: true,
  nova: true,
  openai: true,
  'gpt-oss': true,
  mistral: true,
  other: true,
}
const LACKING: Record<Lacking, true> = {
  system: true,
  tools: true,
  vision: true,
  files: true,
  json_schema: true,
  json_schema_with_tools: true,
  thinking_with_tools: true,
}
const CHAT_REFUSALS: Record<ChatRefusal, true> = { tools_while_thinking: true }
const THINKING: Tests<ThinkingTraits> = {
  by: (value) => ['none', 'effort', 'level', 'budget', 'adaptive'].includes(String(value)),
  efforts: isWords,
  field: (value) => Object.hasOwn(FIELDS, String(value)),
  minTokens: isCount,
  maxTokens: isCount,
  byDefault: isSwitch,
  always: isSwitch,
  summaryOnRequest: isSwitch,
}
const TRAITS: Tests<ModelTraits> = {
  refuses: isWords,
  refusesWhileThinking: isWords,
  thinking: (value) => strangers(value as object, THINKING).length === 0,
  prefill: isSwitch,
  maxOutput: isCount,
  cacheMinTokens: isCount,
  maker: (value) => Object.hasOwn(MODEL_MAKERS, String(value)),
  cacheBreakpoints: isSwitch,
  lacks: (value) => areWordsOf(LACKING, value),
  chatRefuses: (value) => areWordsOf(CHAT_REFUSALS, value),
}

function areWordsOf(vocabulary: object, value: unknown): boolean {
  return isWords(value) && (value as string[]).every((word) => Object.hasOwn(vocabulary, word))
}

/** The problems of the catalog; none if it is well maintained. */
export function checkCatalog(providers: Record<string, unknown>, catalog: Catalog): Flaw[] {
  const found = catalog.list().flatMap((model) => {
    const flaws = [...rowFlaws(model, providers), ...priceFlaws(model), ...tierFlaws(model), ...traitFlaws(model)]
    return flaws.map((flaw) => ({ model: `${model.provider}/${model.id}`, flaw }))
  })
  return [...(catalog.flaws ?? []), ...found]
}

function rowFlaws(model: Model, providers: Record<string, unknown>) {
  const { provider, type, can, context, output, quality, created, source } = model
  const flaws: string[] = []
  if (!Object.hasOwn(providers, provider)) flaws.push('its provider has no row')
  if (!Object.hasOwn(TYPES, type)) flaws.push(`type '${type}' is unknown`)
  for (const word of can) if (!Object.hasOwn(CAPABILITIES, word)) flaws.push(`capability '${word}' is unknown`)
  for (const limit of [context, output]) if (limit !== null && !isCount(limit)) flaws.push(`${limit} is no limit`)
  if (quality !== undefined && ![1, 2, 3, 4, 5].includes(quality)) flaws.push(`quality ${quality} is not 1 to 5`)
  if (model.retires_at !== undefined && !isDay(model.retires_at)) flaws.push(`'${model.retires_at}' is no day`)
  if (created === 0 && source !== OPERATOR) flaws.push('`added` is missing, in its line and in the head of its file')
  return flaws
}

function priceFlaws(model: Model): string[] {
  const amounts = amountsOf(model)
  if (amounts.length === 0) return []
  const flaws = amounts.filter(([, usd]) => !isAmount(usd)).map(([name, usd]) => `${name} costs ${usd}`)
  if (model.source === OPERATOR) return flaws
  if (!model.source) flaws.push('its price has no source')
  if (!isDay(model.checked)) flaws.push('its price has no day on which it was checked')
  return flaws
}

function amountsOf({ price, per, perSearchContext, perImage = [] }: Model): [string, unknown][] {
  const { serviceTiers = {}, ...standard } = price ?? {}
  const ofTokens = [standard, ...Object.values(serviceTiers)].flatMap(amountsOfTokens)
  const ofImages = perImage.map(({ usd }): [string, unknown] => ['an image', usd])
  return [...ofTokens, ...ofImages, ...Object.entries({ ...per, ...perSearchContext })]
}

function amountsOfTokens({ tiers = [], ...rates }: Partial<SteppedRates>): [string, unknown][] {
  const ofTiers = tiers.flatMap(({ above, ...more }) => Object.entries(more).map(entryAbove(above)))
  return [...Object.entries(rates), ...ofTiers]
}

function entryAbove(above: number) {
  return ([name, usd]: [string, unknown]): [string, unknown] => [`${name} above ${above}`, usd]
}

function tierFlaws({ price }: Model): string[] {
  return price ? [price, ...Object.values(price.serviceTiers ?? {})].flatMap(orderFlaws) : []
}

function orderFlaws({ tiers = [] }: SteppedRates): string[] {
  const borders = [0, ...tiers.map(({ above }) => above)]
  const ascend = borders.every((border, index) => index === 0 || border > borders[index - 1]!)
  return ascend ? [] : [`its tiers do not ascend: ${borders.slice(1).join(', ')}`]
}

function traitFlaws({ traits = {} }: Model): string[] {
  return strangers(traits, TRAITS).map((name) => `trait '${name}' is unknown or has an unknown value`)
}

function strangers(things: object, tests: Record<string, Test>): string[] {
  const passes = (name: string, value: unknown) => Object.hasOwn(tests, name) && tests[name]!(value)
  return Object.entries(things).flatMap(([name, value]) => (passes(name, value) ? [] : [name]))
}

function isAmount(value: unknown): boolean {
  return Number.isFinite(value) && (value as number) >= 0
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isSwitch(value: unknown): boolean {
  return typeof value === 'boolean'
}

function isWords(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string' && word !== '')
}

function isDay(text = ''): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
}
