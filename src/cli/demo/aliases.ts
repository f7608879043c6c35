import { createAlias } from '../../tenants/aliases/manage-aliases.ts'
import { AliasTable } from '../../platform/config/aliases/alias-table.ts'
import { servicesAt, type Demo } from './demo.ts'
import { HOUR_MS } from '../../base/units/units.ts'

/** The first target is the one that most calls get; the others answer when it fails. */
export const ALIASES = {
  fast: ['openai/gpt-4.1-mini', 'google/gemini-2.5-flash', 'mistral/ministral-8b-latest'],
  smart: ['anthropic/claude-sonnet-4-5', 'openai/gpt-5'],
  cheap: ['google/gemini-2.5-flash-lite', 'groq/llama-3.1-8b-instant'],
  embed: ['openai/text-embedding-3-small'],
} as const

export type AliasName = keyof typeof ALIASES

export async function addAliases(demo: Demo): Promise<number> {
  const { config } = demo
  const entries = Object.entries(ALIASES)
  for (const [index, [name, [model, ...fallbacks]]] of entries.entries()) {
    const services = servicesAt(demo, demo.from + 10 * HOUR_MS + index * 240_000, 'bruno@demo.example')
    const aliasServices = { config, aliases: new AliasTable(config.aliases), refreshAliases: async () => undefined }
    await createAlias(
      { name, targets: [{ model }], ...(fallbacks.length > 0 && { fallbacks }) },
      { ...services, ...aliasServices },
    )
  }
  return entries.length
}
