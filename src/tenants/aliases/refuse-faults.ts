import { aliasFaults } from '../../platform/config/aliases/alias-faults.ts'
import type { Alias, AliasFault, AliasTarget } from '../../platform/config/aliases/alias.ts'
import { leaksCredential } from '../../platform/config/aliases/own-host.ts'
import type { Config } from '../../platform/config/config.ts'
import { providerNamed } from '../../platform/config/provider-named.ts'
import { validationProblemOf } from '../../contract/validation-problem.ts'
import { valueError } from '../../base/schema/issue-messages.ts'

/** Refuses an alias of the admin API that could not be used, or that would send a credential to a host of another party. */
export function refuseFaults(name: string, alias: Alias, { config }: { config: Config }): void {
  // The store has been read, so that every credential is known.
  const faults = aliasFaults(name, alias, config.providers, { ...config.source, isRefresh: false })
  const addresses = alias.targets.flatMap((target, index) => {
    return addressFaults(target, config).map((msg) => ({ path: ['targets', index, 'base_url'], msg }))
  })
  const issues = [...faults, ...addresses].map(({ path, msg }: AliasFault) => valueError(['body', ...path], msg))
  if (issues.length > 0) throw validationProblemOf(issues)
}

function addressFaults(target: AliasTarget, config: Config): string[] {
  const { model, baseUrl } = target
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return []
  const { username, password, search } = new URL(baseUrl)
  if (username || password || search) return ['should have no user, password or query; those belong to the config file']
  const provider = providerNamed(model.slice(0, Math.max(0, model.indexOf('/'))), config.providers)
  if (!provider || !leaksCredential(target, provider, config.source)) return []
  return [`is not a host of ${provider.name}: only the config file can send its credential there`]
}
