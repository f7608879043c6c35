import type { TaskInfo } from '../../../../src/contract/info.ts'
import type { ModelList } from '../../../../src/contract/models.ts'
import { compact, money } from '../../../parts/format.ts'
import { retirement } from '../../../parts/retirement.ts'

/** A model that can be chosen, with what a person wants to know before. */
export type ModelChoice = {
  id: string
  provider: string
  providerName: string
  /** Of a million tokens, an image, a page. Empty if it is not known. */
  price: string
  /** Per token, to compare by. */
  cost: number | undefined
  /** Such as how much it can read, and whether it uses tools. */
  facts: readonly string[]
  usesTools: boolean
  isAvailable: boolean
  /** Its answers are made up. */
  isSimulated: boolean
  isRetiring: boolean
}

type Listed = ModelList['data'][number]

export const SANDBOX = 'sandbox'
const LOCAL = 'local'
const MILLION = 1_000_000

/** Those that most people look for, with their names. Others follow. */
const POPULAR: Readonly<Record<string, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  google: 'Google',
  mistral: 'Mistral',
  azure: 'Microsoft Azure',
  amazon: 'Amazon Bedrock',
  vertex: 'Google Vertex AI',
  deepseek: 'DeepSeek',
  xai: 'xAI',
  groq: 'Groq',
  openrouter: 'OpenRouter',
}
const RANKS = Object.keys(POPULAR)

/** `provider/model`, or for a task `feature/task/provider`. */
export function providerOf(model: string, isTask = false): string {
  return model.split('/')[isTask ? 2 : 0] ?? ''
}

export function providerName(id: string): string {
  return POPULAR[id] ?? id
}

/** Reranking, embeddings, images and audio are in the same list. What a local server reports has no capabilities. */
export function isChat({ capabilities }: Listed): boolean {
  if (!capabilities || Object.keys(capabilities).length === 0) return true
  const { input_modalities: input, output_modalities: output } = capabilities
  const answersText = (input ?? ['text']).includes('text') && (output ?? ['text']).includes('text')
  return answersText && (has(capabilities, 'native_streaming') || has(capabilities, 'function_calling'))
}

function has(capabilities: Listed['capabilities'], name: string): boolean {
  return (capabilities as Record<string, unknown> | null | undefined)?.[`supports_${name}`] === true
}

export function choiceOf(model: Listed): ModelChoice {
  const { id, owned_by: provider, name, available, pricing } = model
  return {
    id,
    provider,
    price: priceOf(pricing),
    facts: factsOf(model),
    providerName: name?.includes(': ') ? name.split(': ')[0]! : providerName(provider),
    cost: pricing?.output_cost_per_token ?? undefined,
    usesTools: has(model.capabilities, 'function_calling'),
    isAvailable: available !== false,
    isSimulated: provider === SANDBOX,
    isRetiring: Boolean(model.retires_at),
  }
}

/** Providers of a task are named by the third part of the model. */
export function taskChoiceOf({ model, pricing }: TaskInfo['models'][number]): ModelChoice {
  const provider = providerOf(model, true)
  return {
    id: model,
    provider,
    providerName: providerName(provider),
    facts: [],
    usesTools: false,
    price: taskPrice(pricing),
    cost: pricing?.price ?? undefined,
    isRetiring: false,
    isAvailable: true,
    isSimulated: provider === SANDBOX,
  }
}

function taskPrice(pricing: TaskInfo['models'][number]['pricing']): string {
  if (!pricing || pricing.price === null) return ''
  if (pricing.price === 0) return 'free'
  const { price_unit_quantity: quantity, price_unit_type: unit } = pricing
  return `${money(pricing.price)} per ${quantity === 1 || quantity === null ? '' : `${compact(quantity)} `}${unit}`
}

function priceOf(pricing: Listed['pricing']): string {
  const { input_cost_per_token: input, output_cost_per_token: output } = pricing ?? {}
  const image = pricing?.output_cost_per_image ?? pricing?.image_pricing?.[0]?.output_cost_per_image
  if (image !== undefined && image !== null) return `${money(image)} per image`
  if (input === 0 && output === 0) return 'free'
  if (input !== undefined && input !== null && output !== undefined && output !== null)
    return `${money(input * MILLION)} in, ${money(output * MILLION)} out per 1M`
  const characters = (pricing as Record<string, unknown> | null | undefined)?.cost_per_character
  return typeof characters === 'number' ? `${money(characters * MILLION)} per 1M characters` : ''
}

const CAPABILITIES = { function_calling: 'tools', reasoning: 'reasoning', web_search: 'web search', pdf_input: 'PDF' }

function factsOf({ context_length: context, capabilities, alias_of: target, retires_at: end }: Listed): string[] {
  const inputs = (capabilities?.input_modalities ?? []).filter((one) => ['image', 'audio', 'video'].includes(one))
  const supported = Object.entries(CAPABILITIES).filter(([name]) => has(capabilities, name))
  return [
    ...(context ? [`${compact(context)} context`] : []),
    ...supported.map(([, title]) => title),
    ...inputs.map((one) => `${one} input`),
    ...(target ? [`alias of ${target}`] : []),
    ...(end ? [retirement(end)] : []),
  ]
}

/** Available ones first, of them the real ones; then by how much a provider is looked for; newer names before older ones. */
export function sorted(choices: readonly ModelChoice[], recent: readonly string[] = []): ModelChoice[] {
  const rankOf = (choice: ModelChoice) => [
    choice.isAvailable ? 0 : 1,
    recent.includes(choice.id) ? recent.indexOf(choice.id) : recent.length,
    choice.isSimulated ? 1 : 0,
    choice.provider === LOCAL ? -1 : (RANKS.indexOf(choice.provider) + RANKS.length + 1) % (RANKS.length + 1),
    choice.isRetiring ? 1 : 0,
  ]
  const ranked = choices.map((choice) => ({ choice, rank: rankOf(choice) }))
  return ranked.sort((a, b) => differenceOf(a.rank, b.rank) || byName(a.choice, b.choice)).map(({ choice }) => choice)
}

function differenceOf(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((rank, index) => rank !== other[index])
  return at < 0 ? 0 : one[at]! - other[at]!
}

function byName(one: ModelChoice, other: ModelChoice): number {
  if (one.provider !== other.provider) return one.provider < other.provider ? -1 : 1
  return one.isSimulated ? 0 : other.id.localeCompare(one.id, 'en', { numeric: true })
}

/** A model that works now: one that was used here before, else a cheap real one, else one of the sandbox. */
export function defaultModel(choices: readonly ModelChoice[], recent: readonly string[]): string | undefined {
  const available = sorted(choices).filter(({ isAvailable }) => isAvailable)
  const used = recent.find((id) => available.some((choice) => choice.id === id))
  if (used !== undefined) return used
  const [first] = available
  const rivals = available.filter(({ provider, isRetiring }) => provider === first?.provider && !isRetiring)
  const priced = first?.isSimulated ? [] : rivals.filter(({ cost, usesTools }) => cost !== undefined && usesTools)
  return (priced.toSorted((a, b) => a.cost! - b.cost!)[0] ?? first)?.id
}
