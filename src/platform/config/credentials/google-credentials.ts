import { isRecord, recordOf } from '../../../base/schema/record.ts'
import type { AwsIdentity } from '../../../translation/wire/aws-identity.ts'
import type { GoogleFederation, ServiceAccount, SubjectToken } from '../../../translation/wire/token-exchange.ts'
import { ConfigError } from '../config-error.ts'
import { isHttpUrl } from '../custom-providers.ts'
import { awsIdentity } from './aws-identity-settings.ts'

type Environment = Record<string, string | undefined>

const TOKEN_URL = 'https://oauth2.googleapis.com/token'

/** The key of a service account, or the description of an external account (workload identity federation). */
export function parseGoogleCredential(
  text: string,
  label: string,
  environment: Environment,
): ServiceAccount | GoogleFederation {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  const fields = recordOf(value)
  return fields.type === 'external_account' ? federation(fields, label, environment) : serviceAccount(fields, label)
}

function serviceAccount(fields: Record<string, unknown>, label: string): ServiceAccount {
  const { client_email: clientEmail, private_key: privateKey, token_uri: tokenUrl } = fields
  if (typeof clientEmail !== 'string' || typeof privateKey !== 'string')
    throw new ConfigError(`${label}: is not a service account's key (JSON with client_email and private_key)`)
  return { kind: 'google', clientEmail, privateKey, tokenUrl: typeof tokenUrl === 'string' ? tokenUrl : TOKEN_URL }
}

/** https://google.aip.dev/auth/4117 */
function federation(fields: Record<string, unknown>, label: string, environment: Environment): GoogleFederation {
  const { audience, subject_token_type: subjectTokenType, token_url: tokenUrl } = fields
  const { service_account_impersonation_url: impersonationUrl } = fields
  if (!isText(audience) || !isText(subjectTokenType) || !isUrl(tokenUrl))
    throw new ConfigError(`${label}: an external account needs audience, subject_token_type and token_url`)
  if (impersonationUrl !== undefined && !isUrl(impersonationUrl))
    throw new ConfigError(`${label}: service_account_impersonation_url should be an address`)
  const subject = subjectToken(recordOf(fields.credential_source), label, environment)
  return { kind: 'google-federation', tokenUrl, audience, subjectTokenType, subject, impersonationUrl }
}

function subjectToken(source: Record<string, unknown>, label: string, environment: Environment): SubjectToken {
  const { file, url, headers, environment_id: cloud } = source
  const { type, subject_token_field_name: field } = recordOf(source.format)
  const format = type === 'json' && isText(field) ? { field } : {}
  if (typeof cloud === 'string' && cloud.startsWith('aws')) return awsSubject(source, label, environment)
  if (isText(file)) return { file, ...format }
  if (isUrl(url)) return { url, headers: textsOf(headers), ...format }
  throw new ConfigError(`${label}: credential_source should have a file, a url or the environment_id aws1`)
}

/** The subject is a signed request to AWS, which Google sends to find out who signed it. */
function awsSubject(source: Record<string, unknown>, label: string, environment: Environment): SubjectToken {
  const { regional_cred_verification_url: verificationUrl } = source
  const region = environment.AWS_REGION || environment.AWS_DEFAULT_REGION
  if (!isText(verificationUrl) || !region)
    throw new ConfigError(
      `${label}: an account of AWS needs regional_cred_verification_url, and AWS_REGION has to be set`,
    )
  const aws = ownKeys(environment) ?? awsIdentity(environment, true)
  if (!aws) throw new ConfigError(`${label}: there is no identity of AWS here`)
  return { aws, region, verificationUrl: verificationUrl.replace('{region}', region) }
}

function ownKeys(environment: Environment): AwsIdentity | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment
  if (!accessKeyId || !secretAccessKey) return undefined
  const sessionToken = environment.AWS_SESSION_TOKEN || undefined
  return { kind: 'keys', keys: { accessKeyId, secretAccessKey, sessionToken } }
}

function textsOf(value: unknown): Record<string, string> {
  const entries = isRecord(value) ? Object.entries(value) : []
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isUrl(value: unknown): value is string {
  return isText(value) && isHttpUrl(value)
}
