import { readFileSync } from 'node:fs'
import type { ServiceAccount, TokenExchange } from '../wire/token-exchange.ts'
import type { Auth } from '../providers/provider.ts'
import { refuseCredentials } from './address-credential.ts'
import { ConfigError } from './config-error.ts'
import { isHttpUrl } from './custom-providers.ts'

/** A credential at a provider. */
export type Credential = {
  /** Sent in a header as it is. */
  secret: string | undefined
  weight: number
  aws?: AwsKeys
  /** Exchanged for a token first. */
  exchange?: TokenExchange
}

export type AwsKeys = { accessKeyId: string; secretAccessKey: string; sessionToken: string | undefined }

type Environment = Record<string, string | undefined>
type Listed = { env: string; weight?: number | undefined }[]

export function readCredentials(
  auth: Auth,
  environment: Environment,
  listed: Listed | undefined,
): readonly Credential[] {
  if (auth.scheme === 'none') return []
  if (auth.scheme === 'aws') return awsCredentials(environment)
  const all = listed ?? [{ env: auth.env }]
  return all.flatMap(({ env, weight = 1 }: { env?: string | undefined; weight?: number | undefined }) => {
    if (auth.scheme === 'google') return googleCredentials(env, environment, weight)
    const keys = plain(env && environment[env], weight)
    return auth.exchange ? keys.map((key) => exchanged(key, auth.exchange!, environment)) : keys
  })
}

/** The key is sent to the token server, not to the provider. */
function exchanged(key: Credential, way: NonNullable<Auth['exchange']>, environment: Environment): Credential {
  const { kind, url, urlEnv, scope, scopeEnv } = way
  const tokenUrl = environment[urlEnv] || url
  if (!isHttpUrl(tokenUrl)) throw new ConfigError(`${urlEnv}: should be an http:// or https:// address`)
  refuseCredentials(urlEnv, tokenUrl)
  const wanted = (scopeEnv && environment[scopeEnv]) || scope
  return { ...key, secret: undefined, exchange: { kind, tokenUrl, secret: key.secret!, scope: wanted } }
}

/** Several keys, separated by commas, take turns. */
function plain(text: string | undefined, weight: number): Credential[] {
  return (text ?? '')
    .split(',')
    .map((key) => key.trim())
    .filter(Boolean)
    .map((secret) => ({ secret, weight }))
}

function awsCredentials(environment: Environment): Credential[] {
  const bearer = plain(environment.AWS_BEARER_TOKEN_BEDROCK, 1)
  if (bearer.length > 0) return bearer
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment
  if (!accessKeyId || !secretAccessKey) return []
  const aws = { accessKeyId, secretAccessKey, sessionToken: environment.AWS_SESSION_TOKEN || undefined }
  return [{ secret: undefined, weight: 1, aws }]
}

/** A service account key of Google: the variable names the file or contains its content. */
function googleCredentials(env: string | undefined, environment: Environment, weight: number): Credential[] {
  const value = env && environment[env]
  if (!value) return []
  const text = value.trimStart().startsWith('{') ? value : readKeyFile(env, value)
  return [{ secret: undefined, weight, exchange: parseServiceAccount(env, text) }]
}

function readKeyFile(env: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError(`${env}: the file cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

function parseServiceAccount(env: string, text: string): ServiceAccount {
  const wrong = new ConfigError(`${env}: is not a service account's key (JSON with client_email and private_key)`)
  let value: { client_email?: unknown; private_key?: unknown; token_uri?: unknown }
  try {
    value = JSON.parse(text)
  } catch {
    throw wrong
  }
  const { client_email: clientEmail, private_key: privateKey, token_uri: tokenUrl } = value
  if (typeof clientEmail !== 'string' || typeof privateKey !== 'string') throw wrong
  return { kind: 'google', clientEmail, privateKey, tokenUrl: typeof tokenUrl === 'string' ? tokenUrl : TOKEN_URL }
}

const TOKEN_URL = 'https://oauth2.googleapis.com/token'
