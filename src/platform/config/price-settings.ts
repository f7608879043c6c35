import type { PriceOverrides } from '../catalog/catalog.ts'
import { closed, mapOf } from '../../base/schema/fields.ts'
import Type, { type Static } from '../../base/schema/type.ts'
import { ConfigError } from './config-error.ts'
import { checkSection } from './section.ts'

const usd = Type.Number({ minimum: 0 })
const some = Type.Optional(usd)
const rates = {
  input: usd,
  output: usd,
  cacheRead: some,
  cacheWrite: some,
  cacheWrite1h: some,
  audioInput: some,
  audioOutput: some,
  imageInput: some,
  imageOutput: some,
}
const Tier = Type.Object({ above: Type.Integer({ minimum: 1 }), ...rates }, closed)
const tiers = Type.Optional(Type.Array(Tier))
const Override = Type.Object(
  {
    ...rates,
    input: some,
    output: some,
    tiers,
    serviceTiers: Type.Optional(mapOf(Type.Object({ ...rates, tiers }, closed))),
    perImage: some,
    perRequest: some,
  },
  closed,
)
const Settings = mapOf(Override)

/** `{ "openai/gpt-4o": { "input": 2, "output": 8 } }`: USD per million tokens, and per image or per request. */
export function readPrices(value: unknown, providers: Readonly<Record<string, unknown>>): PriceOverrides {
  if (value === undefined) return {}
  checkSection('prices', Settings, value)
  const entries = Object.entries(value as Record<string, Static<typeof Override>>)
  return Object.fromEntries(entries.map(([name, price]) => [name, toOverride(name, price, providers)]))
}

function toOverride(name: string, stated: Static<typeof Override>, providers: Readonly<Record<string, unknown>>) {
  const [provider = '', model] = name.split('/')
  if (!model || !Object.hasOwn(providers, provider))
    throw new ConfigError(`prices.${name}: should be named provider/model, with a provider that exists`)
  const { perImage, perRequest, input, output, ...more } = stated
  const hasTokens = input !== undefined && output !== undefined
  if (!hasTokens && (input !== undefined || output !== undefined || Object.keys(more).length > 0))
    throw new ConfigError(`prices.${name}: needs input and output`)
  if (!hasTokens && perImage === undefined && perRequest === undefined)
    throw new ConfigError(`prices.${name}: has no price`)
  return {
    ...(hasTokens && { price: { ...more, input, output } as NonNullable<PriceOverrides[string]['price']> }),
    ...(perImage !== undefined && { perImage: [{ usd: perImage }] }),
    ...(perRequest !== undefined && { per: { request: perRequest } }),
  }
}
