import type { AwsIdentity } from '../../../translation/wire/aws-identity.ts'
import { ConfigError } from '../config-error.ts'
import { isHttpUrl } from '../custom-providers.ts'

type Environment = Record<string, string | undefined>

// The variables are those of the AWS SDKs, and so is the order.

const CONTAINER_HOST = 'http://169.254.170.2'
/** Plain http may carry the keys only inside of the machine, or to the agents of ECS and EKS. */
const CONTAINER_HOSTS = /^(?:localhost|127(?:\.\d+){3}|\[::1\]|169\.254\.170\.(?:2|23)|\[fd00:ec2::23\])$/
const MACHINE_URL = 'http://169.254.169.254'
const SESSION_NAME = 'gatehouse'

/** The identity that the environment describes. The machine's own is used only if it is wanted. */
export function awsIdentity(environment: Environment, isMachineWanted: boolean): AwsIdentity | undefined {
  return webIdentity(environment) ?? container(environment) ?? (isMachineWanted ? machine(environment) : undefined)
}

function webIdentity(environment: Environment): AwsIdentity | undefined {
  const { AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile, AWS_ROLE_ARN: roleArn } = environment
  if (!tokenFile || !roleArn) return undefined
  const sessionName = environment.AWS_ROLE_SESSION_NAME || SESSION_NAME
  return { kind: 'web identity', url: stsUrl(environment), roleArn, sessionName, tokenFile }
}

function stsUrl(environment: Environment): string {
  const region = environment.AWS_REGION || environment.AWS_DEFAULT_REGION || 'us-east-1'
  if (!/^[a-z0-9-]+$/.test(region)) throw new ConfigError('AWS_REGION: should be a plain name')
  const ending = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  return urlIn('AWS_ENDPOINT_URL_STS', environment) ?? `https://sts.${region}.${ending}`
}

function container(environment: Environment): AwsIdentity | undefined {
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path } = environment
  const full = urlIn('AWS_CONTAINER_CREDENTIALS_FULL_URI', environment)
  if (!path && !full) return undefined
  if (path && !path.startsWith('/'))
    throw new ConfigError('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: should start with a slash')
  if (!path && !isContainerHost(new URL(full!)))
    throw new ConfigError('AWS_CONTAINER_CREDENTIALS_FULL_URI: should be https, or on this machine')
  const token = environment.AWS_CONTAINER_AUTHORIZATION_TOKEN || undefined
  const tokenFile = environment.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE || undefined
  return { kind: 'container', url: path ? `${CONTAINER_HOST}${path}` : full!, token, tokenFile }
}

function isContainerHost({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || CONTAINER_HOSTS.test(hostname)
}

/** The metadata server of EC2. */
function machine(environment: Environment): AwsIdentity | undefined {
  if (environment.AWS_EC2_METADATA_DISABLED?.toLowerCase() === 'true') return undefined
  const url = urlIn('AWS_EC2_METADATA_SERVICE_ENDPOINT', environment) ?? MACHINE_URL
  return { kind: 'machine', url: url.replace(/(?<!\/)\/+$/, '') }
}

function urlIn(variable: string, environment: Environment): string | undefined {
  const url = environment[variable]
  if (url && !isHttpUrl(url)) throw new ConfigError(`${variable}: should be an http:// or https:// address`)
  return url || undefined
}
