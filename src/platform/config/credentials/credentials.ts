import type { Auth } from '../../providers/provider.ts'
import { ConfigError } from '../config-error.ts'
import { cloudIdentity } from './cloud-identity.ts'
import type { CloudAccess, Credential, CredentialSource, StoredCredential } from './credential.ts'
import { type ListedCredential, nameOfListed } from './credential-settings.ts'
import { readCredentialFile } from './credential-file.ts'
import { parseCredentials } from './parse-credentials.ts'

type Environment = Record<string, string | undefined>

/**
 * Listed credentials replace the usual variable. Stored ones are added to either; a listed one of the same name wins. A
 * provider without any of them uses the identity that the cloud gives this process.
 */
export function readCredentials(
  auth: Auth,
  environment: Environment,
  listed: readonly ListedCredential[] | undefined,
  stored: readonly StoredCredential[] = [],
): readonly Credential[] {
  if (auth.scheme === 'none') return []
  const own = listed
    ? listed.flatMap((entry) => listedCredentials(entry, auth, environment))
    : usualCredentials(auth, environment)
  const names = new Set(own.map(({ name }) => name))
  const more = stored.filter(({ name }) => !names.has(name)).flatMap((one) => storedCredentials(one, auth, environment))
  const all = [...own, ...more]
  return all.length > 0 || listed ? all : identityCredentials(auth, environment, {})
}

function listedCredentials(entry: ListedCredential, auth: Auth, environment: Environment): Credential[] {
  const { env, file, weight = 1 } = entry
  const common = { name: nameOfListed(entry), weight }
  if (env !== undefined) return variableCredentials(env, auth, environment, common)
  if (file !== undefined) {
    const { path, text } = readCredentialFile(file)
    const parsed = parseCredentials(auth, text, { label: path, environment })
    return parsed.map((one) => ({ ...common, ...one, from: { kind: 'file', path } }))
  }
  const found = identityCredentials(auth, environment, { ...common, isWanted: true })
  if (found.length > 0) return found
  throw new ConfigError(`credentials: ${common.name}: this provider accepts no identity of a machine`)
}

function usualCredentials(auth: Auth, environment: Environment): Credential[] {
  if (auth.scheme !== 'aws')
    return variableCredentials(auth.env, auth, environment, { name: auth.env ?? '', weight: 1 })
  const [bearer, id] = ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID']
  const keys = variableCredentials(bearer, auth, environment, { name: bearer, weight: 1 })
  if (keys.length > 0) return keys
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment
  if (!accessKeyId || !secretAccessKey) return []
  const aws = { accessKeyId, secretAccessKey, sessionToken: environment.AWS_SESSION_TOKEN || undefined }
  return [{ name: id, secret: undefined, weight: 1, aws, from: { kind: 'environment', variable: id } }]
}

type Common = { name: string; weight: number }

/** The variable of a Google key may also name the file that holds it. */
function variableCredentials(
  variable: string | undefined,
  auth: Auth,
  environment: Environment,
  common: Common,
): Credential[] {
  const value = variable && environment[variable]
  if (!value) return []
  const isFile = auth.scheme === 'google' && !value.trimStart().startsWith('{')
  const read = isFile ? readCredentialFile(value, variable) : undefined
  const from: CredentialSource = read ? { kind: 'file', path: read.path } : { kind: 'environment', variable }
  const parsed = parseCredentials(auth, read?.text ?? value, { label: variable, environment })
  return parsed.map((one) => ({ ...common, ...one, from }))
}

/** A stored credential was checked when it was stored. If it is of no use by now, the gateway starts without it. */
function storedCredentials(stored: StoredCredential, auth: Auth, environment: Environment): Credential[] {
  const { id, name, secret, weight } = stored
  try {
    const parsed = parseCredentials(auth, secret, { label: name, environment })
    return parsed.map((one) => ({ name, weight, ...one, from: { kind: 'store', id } }))
  } catch (error) {
    if (error instanceof ConfigError) return []
    throw error
  }
}

type IdentityOptions = Partial<Common> & { isWanted?: boolean }

function identityCredentials(
  auth: Auth,
  environment: Environment,
  { name = 'identity', weight = 1, isWanted = false }: IdentityOptions,
): Credential[] {
  const access: CloudAccess | undefined = auth.identity && cloudIdentity(auth.identity, environment, isWanted)
  return access ? [{ name, secret: undefined, weight, ...access, from: { kind: 'identity' } }] : []
}
