import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { loadCatalog } from '../../src/platform/catalog/catalog.ts'
import { parseConfig } from '../../src/platform/config/config.ts'
import { importLitellm } from '../../src/cli/import/litellm/import-litellm.ts'
import type { Alias } from '../../src/platform/config/aliases/alias.ts'
import type { Draft, DraftProvider } from '../../src/cli/import/draft.ts'
import { readSource } from '../../src/cli/import/litellm/read-source.ts'

/** Configs that we wrote with the fields that occur in public ones. A text with SECRET in it stands for a secret. */
const CONFIGS = join(import.meta.dirname, 'configs')

export const CONFIG_NAMES = readdirSync(CONFIGS)
  .filter((name) => name !== 'more-models.yaml')
  .sort()

const { providers } = parseConfig({ environment: {}, file: { path: undefined, content: {} } })
export const CATALOG = loadCatalog(providers)

export function importConfig(name: string) {
  const source = readSource(join(CONFIGS, name))
  const { draft, findings } = importLitellm(source.content, { environment: {}, catalog: CATALOG })
  return { source, draft, findings: [...source.findings, ...findings] }
}

type ConfigContent = {
  aliases: Record<string, Alias>
  providers: Record<string, DraftProvider>
  credentials: Record<string, { env: string }[]>
  prices: Record<string, Record<string, number>>
}

export function contentOf(draft: Draft): ConfigContent {
  return draft.toConfig() as ConfigContent
}
