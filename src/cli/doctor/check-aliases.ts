import type { Caller } from '../../tenants/access/caller.ts'
import { loadCatalog } from '../../platform/catalog/catalog.ts'
import { KEYLESS_CALLER } from '../../endpoints/explain/explanation.ts'
import type { Alias } from '../../platform/config/aliases/alias.ts'
import { AliasTable } from '../../platform/config/aliases/alias-table.ts'
import type { Config } from '../../platform/config/config.ts'
import { findBare } from '../../calls/routing/names/bare-names.ts'
import { wishIn } from '../../calls/routing/names/name-suffix.ts'
import { findModel, type ModelServices } from '../../calls/routing/names/resolved-model.ts'
import { unknownModel } from '../../calls/routing/names/unknown-model.ts'
import { type Finding, warning } from './finding.ts'

/**
 * Names in aliases of the config file that resolve to no model. Calls skip them, so an operator would not notice a typing
 * error otherwise.
 */
export function checkAliases(config: Config): Finding[] {
  const aliases = new AliasTable(config.aliases)
  const named = aliases.list()
  if (named.length === 0) return []
  const services = { config, catalog: loadCatalog(config.providers, { prices: config.prices }), aliases }
  const caller = { ...KEYLESS_CALLER, region: config.region }
  return named.flatMap(({ name, alias }) =>
    namesIn(alias, aliases)
      .filter((written) => {
        const model = wishIn(written)?.name ?? written
        return !findModel(model, services) && !findBare(model, caller, services)
      })
      .map((model) => unknownIn({ alias: name, model }, caller, services)),
  )
}

/** Without those that have a star, and without fallbacks that are aliases themselves. */
function namesIn({ targets, fallbacks = [] }: Alias, aliases: AliasTable): string[] {
  const models = fallbacks.filter((name) => !aliases.find(name) && !aliases.match(name))
  return [...targets.map(({ model }) => model), ...models].filter((name) => !name.includes('*'))
}

function unknownIn(at: { alias: string; model: string }, caller: Caller, services: ModelServices): Finding {
  return warning(
    'aliases',
    `The alias ${at.alias} names a model that does not exist.`,
    unknownModel(at.model, caller, services).message,
  )
}
