import type { ProviderRow, Region } from '../providers/provider.ts'
import { SERVICE_AUTH, SERVICE_DEFAULTS } from '../providers/task-clouds.ts'
import { refuseCredentials } from './address-credential.ts'
import { ConfigError } from './config-error.ts'
import { type Credential, readCredentials } from './credentials.ts'
import { isHttpUrl } from './custom-providers.ts'
import { serviceRegionsOf } from './provider-regions.ts'
import type { RegionSettings } from './region-settings.ts'

type Environment = Record<string, string | undefined>

/** The addresses of a provider's services. A parameter that nobody set stays where it is: a task that needs it says so. */
export function readServices(
  id: string,
  row: ProviderRow,
  address: Readonly<Record<string, string>>,
  environment: Environment,
  regions: RegionSettings,
): { services: Record<string, string>; serviceRegions: Record<string, readonly Region[]> } {
  const valueFor = (name: string) => address[name] || environment[name] || SERVICE_DEFAULTS[name]
  const places = Object.entries(row.services ?? {}).map(([service, template]) => {
    const url = otherService(id, service, environment) ?? filledFor(template, valueFor)
    return [service, url.replace(/\/+$/, '')]
  })
  const isMoved = (service: string) => otherService(id, service, environment) !== undefined
  const serviceRegions = serviceRegionsOf(id, row, isMoved, valueFor, regions)
  return { services: Object.fromEntries(places), serviceRegions }
}

/** What opens the services, where the key of the models does not. */
export function readServiceCredential(id: string, environment: Environment): Credential | undefined {
  const auth = SERVICE_AUTH[id]
  if (!auth) return undefined
  return readCredentials(auth, { ...environment, AWS_BEARER_TOKEN_BEDROCK: undefined }, undefined)[0]
}

/** `AMAZON_REKOGNITION_BASE_URL` moves one service. */
function otherService(id: string, service: string, environment: Environment): string | undefined {
  const variable = `${id}_${service}_BASE_URL`.toUpperCase().replaceAll('-', '_')
  const elsewhere = environment[variable]
  if (elsewhere && !isHttpUrl(elsewhere)) throw new ConfigError(`${variable}: should be an http:// or https:// address`)
  if (elsewhere) refuseCredentials(variable, elsewhere)
  return elsewhere || undefined
}

function filledFor(template: string, valueFor: (name: string) => string | undefined): string {
  return template.replace(/\{(\w+)\}/g, (hole, name: string) => {
    const value = valueFor(name)
    // It becomes part of a host name or a path: nothing in it may lead elsewhere.
    if (value && !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(value)) throw new ConfigError(`${name}: should be a plain name`)
    return value ?? hole
  })
}
