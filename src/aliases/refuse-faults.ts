import type { AppContext } from '../app/context.ts'
import { aliasFaults, type AliasFault } from '../config/aliases/alias-faults.ts'
import type { Alias, AliasTarget } from '../config/aliases/alias.ts'
import { isOwnHost } from '../config/aliases/own-host.ts'
import { providerNamed } from '../config/provider-named.ts'
import { validationProblemOf } from '../contract/validation-problem.ts'
import { valueError } from '../schema/issue-messages.ts'

/** Refuses an alias of the admin API that could not be used, or that would tell a credential to somebody else. */
export function refuseFaults(name: string, alias: Alias, { config }: Pick<AppContext, 'config'>): void {
  const faults = aliasFaults(name, alias, config.providers, config.source)
  const addresses = alias.targets.flatMap((target, index) => {
    return addressFaults(target, config).map((msg) => ({ path: ['targets', index, 'base_url'], msg }))
  })
  const issues = [...faults, ...addresses].map(({ path, msg }: AliasFault) => valueError(['body', ...path], msg))
  if (issues.length > 0) throw validationProblemOf(issues)
}

/**
 * Whoever may make an alias need not know the credentials of the providers. At an address of their choice, they would receive
 * them. So another host needs the config file.
 */
function addressFaults({ model, baseUrl }: AliasTarget, config: AppContext['config']): string[] {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return []
  const { username, password, search } = new URL(baseUrl)
  if (username || password || search) return ['should have no user, password or query; those belong to the config file']
  const provider = providerNamed(model.slice(0, Math.max(0, model.indexOf('/'))), config.providers)
  const isSecret = provider && (provider.credentials.length > 0 || provider.addressCredential)
  if (!isSecret || isOwnHost(baseUrl, provider, config.source)) return []
  return [`is not a host of ${provider.name}: only the config file can send its credential there`]
}
