import type { CloudName } from '../../providers/provider.ts'
import type { AzureFederation, MachineIdentity } from '../../../translation/wire/token-exchange.ts'
import { ConfigError } from '../config-error.ts'
import { isHttpUrl } from '../custom-providers.ts'
import { awsIdentity } from './aws-identity-settings.ts'
import type { CloudAccess } from './credential.ts'

type Environment = Record<string, string | undefined>

const CLOUDS: readonly CloudName[] = ['aws', 'google', 'azure']
/** Clouds whose metadata server may be asked without an entry in the config file. */
export const CLOUD_IDENTITY_VARIABLE = 'CLOUD_IDENTITY'

/** What a metadata server is asked for, by cloud, and the variable that moves it. That variable is also a wish to use it. */
const MACHINE_VARIABLES: Record<CloudName, string> = {
  aws: 'AWS_EC2_METADATA_SERVICE_ENDPOINT',
  google: 'GCE_METADATA_HOST',
  azure: 'AZURE_POD_IDENTITY_AUTHORITY_HOST',
}
const GOOGLE_TOKEN_PATH = '/computeMetadata/v1/instance/service-accounts/default/token'
const AZURE_TOKEN_PATH = '/metadata/identity/oauth2/token'
const AZURE_RESOURCE = 'https://cognitiveservices.azure.com/'
const AZURE_LOGIN = 'https://login.microsoftonline.com/'

/**
 * The identity that the cloud gives this process. What the cloud announces in variables is used as it is. A metadata server
 * is asked only if the operator wants that: on most machines there is none, and on others its role is meant for something else.
 */
export function cloudIdentity(cloud: CloudName, environment: Environment, isWanted: boolean): CloudAccess | undefined {
  const asksMachine = isWanted || isMachineWanted(cloud, environment)
  if (cloud === 'aws') {
    const identity = awsIdentity(environment, asksMachine)
    return identity && { awsIdentity: identity }
  }
  const exchange =
    cloud === 'azure' ? azureIdentity(environment, asksMachine) : googleIdentity(environment, asksMachine)
  return exchange && { exchange }
}

/** Reads CLOUD_IDENTITY. */
export function readClouds(value: unknown): readonly CloudName[] {
  const names = String(value)
    .split(',')
    .map((name) => name.trim())
  if (names.every((name) => CLOUDS.includes(name as CloudName))) return names as CloudName[]
  throw new ConfigError(`should be names out of ${CLOUDS.join(', ')}, separated by commas`)
}

function isMachineWanted(cloud: CloudName, environment: Environment): boolean {
  if (environment[MACHINE_VARIABLES[cloud]]) return true
  return (environment[CLOUD_IDENTITY_VARIABLE] ?? '').split(',').some((name) => name.trim() === cloud)
}

function googleIdentity(environment: Environment, asksMachine: boolean): MachineIdentity | undefined {
  if (!asksMachine) return undefined
  const host = environment.GCE_METADATA_HOST || 'metadata.google.internal'
  const tokenUrl = `http://${host}${GOOGLE_TOKEN_PATH}`
  if (!isHttpUrl(tokenUrl) || /[/@?#\s]/.test(host)) throw new ConfigError('GCE_METADATA_HOST: should be a host')
  return { kind: 'google-machine', tokenUrl, headers: { 'metadata-flavor': 'Google' } }
}

function azureIdentity(environment: Environment, asksMachine: boolean): MachineIdentity | AzureFederation | undefined {
  const { AZURE_CLIENT_ID: clientId, AZURE_TENANT_ID: tenant, AZURE_FEDERATED_TOKEN_FILE: tokenFile } = environment
  if (clientId && tenant && tokenFile)
    return { kind: 'azure-federation', tokenUrl: azureTokenUrl(tenant, environment), clientId, tokenFile }
  const { IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: header } = environment
  if (endpoint && header) {
    const tokenUrl = azureMachineUrl('IDENTITY_ENDPOINT', endpoint, '2019-08-01', clientId)
    return { kind: 'azure-machine', tokenUrl, headers: { 'x-identity-header': header } }
  }
  if (!asksMachine) return undefined
  const host = environment.AZURE_POD_IDENTITY_AUTHORITY_HOST || 'http://169.254.169.254'
  const url = `${host.replace(/(?<!\/)\/+$/, '')}${AZURE_TOKEN_PATH}`
  const tokenUrl = azureMachineUrl('AZURE_POD_IDENTITY_AUTHORITY_HOST', url, '2018-02-01', clientId)
  return { kind: 'azure-machine', tokenUrl, headers: { metadata: 'true' } }
}

function azureTokenUrl(tenant: string, environment: Environment): string {
  const host = environment.AZURE_AUTHORITY_HOST || AZURE_LOGIN
  if (!isHttpUrl(host)) throw new ConfigError('AZURE_AUTHORITY_HOST: should be an http:// or https:// address')
  return `${host.replace(/(?<!\/)\/+$/, '')}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`
}

function azureMachineUrl(variable: string, address: string, version: string, clientId: string | undefined): string {
  if (!isHttpUrl(address)) throw new ConfigError(`${variable}: should be an http:// or https:// address`)
  const url = new URL(address)
  url.searchParams.set('api-version', version)
  url.searchParams.set('resource', AZURE_RESOURCE)
  if (clientId) url.searchParams.set('client_id', clientId)
  return url.href
}
