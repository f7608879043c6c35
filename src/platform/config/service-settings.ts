import type { ProviderRow, Region } from '../providers/provider.ts'
import { refuseCredentials } from './address-credential.ts'
import { ConfigError } from './config-error.ts'
import type { Credential } from './credentials/credential.ts'
import { readCredentials } from './credentials/credentials.ts'
import { isHttpUrl } from './custom-providers.ts'
import { serviceRegionsOf } from './provider-regions.ts'
import { type RegionSettings, statedOf } from './region-settings.ts'

type Environment = Record<string, string | undefined>

type ServiceInput = {
  id: string
  row: ProviderRow
  address: Readonly<Record<string, string>>
  environment: Environment
}

type Services = { services: Record<string, string>; serviceRegions: Record<string, readonly Region[]> }

/** The addresses of a provider's services. A parameter that is not set stays in the address, and a task that needs it says so. */
export function readServices({ id, row, address, environment }: ServiceInput, regions: RegionSettings): Services {
  const { services = {}, serviceParams = {} } = row
  const valueFor = (name: string) => address[name] || environment[name] || serviceParams[name]?.default
  const urls = Object.entries(services).map(([service, template]) => {
    const url = otherService(id, service, environment) ?? filledFor(template, valueFor)
    return [service, url.replace(/\/+$/, '')]
  })
  const isMoved = (service: string) => otherService(id, service, environment) !== undefined
  const serviceRegions = serviceRegionsOf(row, { isMoved, valueFor, stated: statedOf(regions, id, ':') ?? {} })
  return { services: Object.fromEntries(urls), serviceRegions }
}

/** The credential of the services, if the key of the models does not open them. */
export function readServiceCredential({ serviceAuth }: ProviderRow, environment: Environment): Credential | undefined {
  if (!serviceAuth) return undefined
  return readCredentials(serviceAuth, { ...environment, AWS_BEARER_TOKEN_BEDROCK: undefined }, undefined)[0]
}

/** `AMAZON_REKOGNITION_BASE_URL` replaces the address of one service. */
export function serviceVariable(id: string, service: string): string {
  return `${id}_${service}_BASE_URL`.toUpperCase().replaceAll('-', '_')
}

function otherService(id: string, service: string, environment: Environment): string | undefined {
  const variable = serviceVariable(id, service)
  const elsewhere = environment[variable]
  if (elsewhere && !isHttpUrl(elsewhere)) throw new ConfigError(`${variable}: should be an http:// or https:// address`)
  if (elsewhere) refuseCredentials(variable, elsewhere)
  return elsewhere || undefined
}

function filledFor(template: string, valueFor: (name: string) => string | undefined): string {
  return template.replace(/\{(\w+)\}/g, (hole, name: string) => {
    const value = valueFor(name)
    // The value becomes part of a host name or a path, so it must not be able to change the rest of the address.
    if (value && !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(value)) throw new ConfigError(`${name}: should be a plain name`)
    return value ?? hole
  })
}
