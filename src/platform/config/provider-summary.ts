import { isRecord } from '../../base/schema/record.ts'
import type { Config } from './config.ts'
import { AWS_PAIR } from './missing-setting.ts'
import { addressVariable, type Provider } from './provider-settings.ts'

/** Which providers an operator has set up, and which variables they still need. Providers that need nothing are left out. */
type ProviderSummary = { configured: string[]; missing: { provider: string; variable: string }[] }

export function summarizeProviders({ providers, source }: Pick<Config, 'providers' | 'source'>): ProviderSummary {
  const all = Object.values(providers)
  const isMentioned = (provider: Provider) => isInFile(provider, source) || isInEnvironment(provider, source)
  const mentioned = all.filter((provider) => provider.credentials.length > 0 || isMentioned(provider))
  return {
    configured: mentioned.filter(({ configured }) => configured).map(({ id }) => id),
    missing: mentioned.flatMap((provider) => missingOf(provider, source)),
  }
}

type Source = Config['source']

function isInFile({ id }: Provider, { file }: Source): boolean {
  return [file.content.providers, file.content.credentials].some((section) => isRecord(section) && id in section)
}

/** One variable of several is set: the operator means this provider. A region alone is set for many reasons. */
function isInEnvironment({ auth, baseUrlEnv, params = {} }: Provider, { environment }: Source): boolean {
  const own = Object.keys(params).filter((name) => !/_(?:REGION|LOCATION)$/.test(name))
  const aws = auth.scheme === 'aws' ? AWS_PAIR : []
  return [auth.env, addressVariable({ auth, baseUrlEnv }), ...own, ...aws].some((name) => name && environment[name])
}

/** The variable that the provider needs, and listed credentials that are not set. */
function missingOf(provider: Provider, { file, environment }: Source): ProviderSummary['missing'] {
  const section = isRecord(file.content.credentials) ? file.content.credentials[provider.id] : undefined
  const listed = Array.isArray(section) ? section.flatMap((one) => (typeof one?.env === 'string' ? [one.env] : [])) : []
  const unset = listed.filter((name) => !environment[name])
  const needed = listed.length > 0 ? [] : (provider.missing?.variables.slice(0, 1) ?? [])
  return [...needed, ...unset].map((variable) => ({ provider: provider.id, variable }))
}
