import type { Auth } from '../../providers/provider.ts'
import type { AwsKeys } from '../../../translation/wire/aws-identity.ts'
import { recordOf } from '../../../base/schema/record.ts'
import { refuseCredentials } from '../address-credential.ts'
import { ConfigError } from '../config-error.ts'
import { isHttpUrl } from '../custom-providers.ts'
import type { Credential } from './credential.ts'
import { parseGoogleCredential } from './google-credentials.ts'

type Environment = Record<string, string | undefined>
/** `label` is what messages call the text. They never show anything of it. */
type Context = { label: string; environment: Environment }
type Parsed = Pick<Credential, 'secret' | 'aws' | 'exchange'>

/** The credentials in a text that a variable, a file or the store holds. Several keys are separated by commas or lines. */
export function parseCredentials(auth: Auth, text: string, { label, environment }: Context): Parsed[] {
  if (auth.scheme === 'google')
    return [{ secret: undefined, exchange: parseGoogleCredential(text, label, environment) }]
  if (auth.scheme === 'aws') {
    const aws = awsKeysIn(text.trim(), label)
    if (aws) return [{ secret: undefined, aws }]
  }
  const keys = keysIn(text, label)
  return auth.exchange ? keys.map((key) => exchanged(key, auth.exchange!, environment)) : keys
}

function keysIn(text: string, label: string): Parsed[] {
  const keys = text
    .split(/[,\r\n]/)
    .map((key) => key.trim())
    .filter(Boolean)
  // A header could not carry it, and the error of the client would show it.
  if (!keys.every((key) => /^[\x20-\x7e]+$/.test(key))) throw new ConfigError(`${label}: should be ASCII characters`)
  return keys.map((secret) => ({ secret }))
}

/** The key is sent to the token server, not to the provider. */
function exchanged({ secret }: Parsed, way: NonNullable<Auth['exchange']>, environment: Environment): Parsed {
  const { kind, url, urlEnv, scope, scopeEnv } = way
  const tokenUrl = environment[urlEnv] || url
  if (!isHttpUrl(tokenUrl)) throw new ConfigError(`${urlEnv}: should be an http:// or https:// address`)
  refuseCredentials(urlEnv, tokenUrl)
  const requestedScope = (scopeEnv && environment[scopeEnv]) || scope
  return { secret: undefined, exchange: { kind, tokenUrl, secret: secret!, scope: requestedScope } }
}

/** `ID:SECRET`, `ID:SECRET:SESSION TOKEN`, or JSON in the form of AWS. Any other text is a Bedrock key. */
function awsKeysIn(text: string, label: string): AwsKeys | undefined {
  if (text.startsWith('{')) return awsKeysInJson(text, label)
  const [, accessKeyId, secretAccessKey, sessionToken] =
    /^(A[A-Z]{3}[A-Z0-9]{12,124}):([^:\s,]+)(?::([^:\s,]+))?$/.exec(text) ?? []
  return accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey, sessionToken } : undefined
}

function awsKeysInJson(text: string, label: string): AwsKeys {
  const wrong = new ConfigError(`${label}: is not a key of AWS (JSON with AccessKeyId and SecretAccessKey)`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw wrong
  }
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, SessionToken: sessionToken } = recordOf(value)
  if (typeof accessKeyId !== 'string' || typeof secretAccessKey !== 'string') throw wrong
  return { accessKeyId, secretAccessKey, sessionToken: typeof sessionToken === 'string' ? sessionToken : undefined }
}
