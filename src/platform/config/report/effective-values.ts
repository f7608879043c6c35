import type { ProviderRow } from '../../providers/provider.ts'
import { isRecord } from '../../../base/schema/record.ts'
import type { Config, Origin } from '../config.ts'
import { SETTINGS } from '../settings.ts'
import type { ConfigSource } from '../config-source.ts'
import type { Credential } from '../credentials/credential.ts'
import { DEFAULT_TIMEOUTS } from '../timeouts.ts'
import { addressVariable, type Provider } from '../provider-settings.ts'
import { serviceVariable } from '../service-settings.ts'

/** One value of a configuration, unmasked. */
export type EffectiveValue = { path: readonly string[]; variable?: string; value: unknown; origin: Origin }

/** A reload asks for the values of the same configurations several times, and a configuration does not change. */
const cached = new WeakMap<Config, EffectiveValue[]>()

/** Every value of a configuration with its origin: settings, the sections of the config file, and the providers. */
export function effectiveValues(config: Config): readonly EffectiveValue[] {
  const values = cached.get(config) ?? valuesOf(config)
  cached.set(config, values)
  return values
}

function valuesOf(config: Config): EffectiveValue[] {
  const { source } = config
  const { providers: _, ...sections } = sectionsOf(source)
  return [
    ...settingValues(config),
    ...(config.catalogUpdate ? [catalogValue(config.catalogUpdate)] : []),
    ...Object.entries(DEFAULT_TIMEOUTS).map(([name, value]) => valueAt(['timeouts', name], value, 'default')),
    ...Object.entries(sections).flatMap(([name, section]) => leavesOf([name], section)),
    ...Object.values(config.providers).flatMap((provider) => providerValues(provider, source)),
    ...telemetryValues(source),
  ]
}

/** The date and the digest, so that operators see whether all processes have the same catalog. */
function catalogValue({ datedAt, digest }: NonNullable<Config['catalogUpdate']>): EffectiveValue {
  return valueAt(['store', 'catalog'], `${new Date(datedAt).toISOString()} ${digest}`, 'store')
}

/** The variables of OpenTelemetry that are set. Those with headers are below `headers`, whose values are never shown. */
function telemetryValues({ environment }: ConfigSource): EffectiveValue[] {
  return Object.entries(environment).flatMap(([variable, value]) => {
    if (!variable.startsWith('OTEL_') || !value) return []
    const path = ['telemetry', ...(variable.endsWith('_HEADERS') ? ['headers'] : []), variable]
    return [{ path, variable, value, origin: 'environment' as const }]
  })
}

function settingValues(config: Config): EffectiveValue[] {
  return Object.entries(SETTINGS).map(([name, { env: variable }]) => {
    return {
      path: [name],
      variable,
      value: config[name as keyof typeof SETTINGS] ?? null,
      origin: config.origins[name]!,
    }
  })
}

function sectionsOf({ file }: ConfigSource): Record<string, unknown> {
  return Object.fromEntries(Object.entries(file.content).filter(([name]) => !Object.hasOwn(SETTINGS, name)))
}

/** The single values in a section of the config file. A list counts as one value. */
function leavesOf(path: readonly string[], value: unknown): EffectiveValue[] {
  if (!isRecord(value)) return [valueAt(path, value, 'file')]
  return Object.entries(value).flatMap(([name, member]) => leavesOf([...path, name], member))
}

function valueAt(path: readonly string[], value: unknown, origin: Origin): EffectiveValue {
  return { path, value, origin }
}

/** The address and the credentials of every provider, the other members of its entry in the file, and its variables. */
function providerValues(provider: Provider, source: ConfigSource): EffectiveValue[] {
  const path = ['providers', provider.id]
  const listed = recordIn(source.file.content.providers)[provider.id]
  const { baseUrl: _, ...members } = recordIn(listed)
  return [
    addressValue(provider, source, listed !== undefined),
    credentialValue(provider, source),
    ...Object.entries(members).flatMap(([name, member]) => leavesOf([...path, name], member)),
    ...furtherVariables(provider).flatMap((variable) => {
      const value = source.environment[variable]
      return value ? [{ path: [...path, variable], variable, value, origin: 'environment' as const }] : []
    }),
  ]
}

function addressValue(provider: Provider, { environment }: ConfigSource, isListed: boolean): EffectiveValue {
  const variable = addressVariable(provider)
  const isMoved = variable !== undefined && Boolean(environment[variable])
  return {
    path: ['providers', provider.id, 'baseUrl'],
    ...(variable && { variable }),
    value: isMoved ? environment[variable] : provider.baseUrl,
    origin: isMoved ? 'environment' : isListed ? 'file' : 'default',
  }
}

/** The values are secrets, so a credential is shown by its end at most. */
function credentialValue({ id, auth, credentials }: Provider, { environment, file }: ConfigSource): EffectiveValue {
  const isListed = id in recordIn(file.content.credentials)
  const isStored = credentials.some(({ from }) => from?.kind === 'store')
  const isSet = credentials.length > 0 || Boolean(auth.env && environment[auth.env])
  return {
    path: ['providers', id, 'credentials'],
    ...(auth.env && { variable: auth.env }),
    value: credentials.map(secretPart),
    origin: isStored ? 'store' : isListed ? 'file' : isSet ? 'environment' : 'default',
  }
}

function secretPart({ secret, aws, awsIdentity, exchange }: Credential): string {
  return secret ?? aws?.secretAccessKey ?? JSON.stringify(awsIdentity ?? exchange)
}

/** What a provider reads from the environment beside its address and its credential. */
function furtherVariables({ id, auth, params = {}, serviceParams = {}, ...row }: ProviderRow & { id: string }) {
  const { urlEnv, scopeEnv } = auth.exchange ?? {}
  const parameters = Object.entries({ ...params, ...serviceParams }).flatMap(([name, { or }]) => [name, or])
  const services = Object.keys(row.services ?? {}).map((service) => serviceVariable(id, service))
  const all = [...parameters, ...services, ...(row.taskSettings ?? []), urlEnv, scopeEnv]
  return [...new Set(all.filter((name) => name !== undefined))]
}

function recordIn(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}
