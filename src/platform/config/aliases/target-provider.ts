import type { ProviderRow } from '../../providers/provider.ts'
import { ConfigError } from '../config-error.ts'
import type { ConfigSource } from '../config-source.ts'
import { isHttpUrl } from '../custom-providers.ts'
import { readDataPolicies } from '../data-policy-settings.ts'
import { addressVariable, type Provider, provide, rowOf } from '../provider-settings.ts'
import { readRegionSettings } from '../region-settings.ts'
import { type AliasTarget, hasParams } from './alias.ts'

/** It becomes part of an address, so it must not be able to change the rest of the address. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9._-]*$/
const OWN_ADDRESS = 'the address of the target'

/**
 * The provider with the address of one target: as if this installation had set the target's parameters in the environment.
 * The credentials stay those of the provider. Throws a ConfigError for a parameter that the provider does not have.
 */
export function targetProvider(target: AliasTarget, provider: Provider, source: ConfigSource): Provider {
  if (!hasParams(target)) return provider
  const row = rowOf(provider.id, source.file.content.providers)!
  const address = addressFor(target, row, provider)
  const environment = { ...source.environment, ...paramsFor(target, row), ...(address && { [OWN_ADDRESS]: address }) }
  const moved = address ? { ...row, baseUrlEnv: OWN_ADDRESS } : row
  const { regions, dataPolicies } = source.file.content
  const stated = { regions: readRegionSettings(regions), dataPolicies: readDataPolicies(dataPolicies) }
  const made = provide(provider.id, moved, environment, { listed: undefined, stored: undefined, stated })
  const { credentials, serviceCredential } = provider
  const missing = made.missing?.for === 'credential' ? missingHere(provider, made.missing) : made.missing
  const own = { credentials, serviceCredential, missing, configured: missing === undefined }
  const { responses } = address || provider.responses === undefined ? made : provider
  return { ...provider, ...made, ...own, responses, baseUrlEnv: addressVariable(row), ...versioned(target, made) }
}

/** The credentials are those of the provider, and so is what is missing of them. */
function missingHere({ credentials, missing }: Provider, otherwise: Provider['missing']): Provider['missing'] {
  if (credentials.length > 0) return undefined
  return missing?.for === 'credential' ? missing : otherwise
}

/** The variables of the region and of the project of this provider. */
function paramsFor({ region, project }: AliasTarget, { params = {}, name }: ProviderRow): Record<string, string> {
  const ofRegion = Object.keys(params).find((one) => params[one]!.regions)
  const ofProject = Object.keys(params).find((one) => params[one]!.isProject)
  if (region !== undefined && !ofRegion) throw new ConfigError(`region: ${name} has no regions to choose from`)
  if (project !== undefined && !ofProject) throw new ConfigError(`project: ${name} has no projects`)
  return {
    ...(region !== undefined && { [ofRegion!]: plain('region', region) }),
    ...(project !== undefined && { [ofProject!]: plain('project', project) }),
  }
}

/** Undefined if the target is at the address of its provider. */
function addressFor(target: AliasTarget, { deployments, name }: ProviderRow, provider: Provider): string | undefined {
  const { baseUrl, deployment, apiVersion, model } = target
  if (baseUrl !== undefined && !isHttpUrl(baseUrl))
    throw new ConfigError('baseUrl: should be an http:// or https:// address')
  if (!deployments) {
    if (deployment !== undefined) throw new ConfigError(`deployment: ${name} has no deployments`)
    if (apiVersion !== undefined) throw new ConfigError(`apiVersion: ${name} has no versions to choose from`)
    return baseUrl
  }
  const named = plain('deployment', deployment ?? model.slice(model.indexOf('/') + 1))
  if (apiVersion === undefined) return baseUrl && withPath(baseUrl, deployments.path)
  plain('apiVersion', apiVersion)
  const resource = (baseUrl ?? provider.baseUrl).replace(/(?<!\/)\/+$/, '').replace(/\/openai(\/v1)?$/, '')
  return resource + deployments.dated.replace('{deployment}', named)
}

/** Many operators only know the address of their resource. */
function withPath(baseUrl: string, path: string): string {
  return new URL(baseUrl).pathname === '/' ? baseUrl.replace(/(?<!\/)\/+$/, '') + path : baseUrl
}

/** The version is sent in the query of every request. It is no secret. */
function versioned({ apiVersion }: AliasTarget, { addressCredential }: Provider) {
  if (apiVersion === undefined) return {}
  const { basic, secrets = [], query } = addressCredential ?? {}
  const whole = `${query ? `${query}&` : ''}api-version=${apiVersion}`
  return { addressCredential: { basic, secrets, query: whole } }
}

function plain(name: string, value: string): string {
  if (PLAIN.test(value)) return value
  throw new ConfigError(`${name}: should be a plain name`)
}
