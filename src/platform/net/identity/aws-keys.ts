import { recordOf } from '../../../base/schema/record.ts'
import { toText } from '../../../base/schema/to-primitive.ts'
import type { AwsIdentity, AwsKeys } from '../../../translation/wire/aws-identity.ts'
import { UpstreamProblem } from '../../../translation/wire/upstream-problem.ts'
import type { WireRequest } from '../../../translation/wire/wire.ts'
import { type Answer, type Ask, refusal } from './ask.ts'
import type { Fetched } from './short-lived.ts'
import { readTokenFile } from './token-file.ts'
import { HOUR_MS } from '../../../base/units/units.ts'

// Short-lived keys of AWS, for an identity that the cloud gives this process.

const ROLE_PATH = '/latest/meta-data/iam/security-credentials/'
const SESSION_SECONDS = '300'
/** How long keys are used if the answer does not say, or says something that cannot be true. */
const DEFAULT_LIFETIME_MS = 900_000
const SANE_MS = { least: 60_000, max: 12 * HOUR_MS }

type Fetching = { ask: Ask; now(): number }

export async function fetchAwsKeys(identity: AwsIdentity, { ask, now }: Fetching): Promise<Fetched<AwsKeys>> {
  if (identity.kind === 'keys') return { value: identity.keys, lifetimeMs: SANE_MS.max }
  if (identity.kind === 'web identity') return keysIn(xmlFields((await assumeRole(identity, ask)).text), now)
  const answer = identity.kind === 'container' ? await askAgent(identity, ask) : await askMachine(identity, ask)
  return keysIn(jsonFields(answer.text), now)
}

/** https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRoleWithWebIdentity.html */
async function assumeRole(identity: Extract<AwsIdentity, { kind: 'web identity' }>, ask: Ask): Promise<Answer> {
  const { url, roleArn, sessionName, tokenFile } = identity
  const fields = {
    Action: 'AssumeRoleWithWebIdentity',
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: sessionName,
    WebIdentityToken: await readTokenFile(tokenFile),
  }
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/xml' }
  const body = new URLSearchParams(fields).toString()
  return accepted(await ask({ method: 'POST', url: withPath(url), headers, body }, 'server'))
}

/** https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html */
async function askAgent(identity: Extract<AwsIdentity, { kind: 'container' }>, ask: Ask): Promise<Answer> {
  const { url, token, tokenFile } = identity
  const authorization = tokenFile ? await readTokenFile(tokenFile) : token
  return accepted(await ask(get(url, authorization === undefined ? {} : { authorization }), 'machine'))
}

/** Version 2 of the metadata service of EC2: every session begins with a token, which a redirected request cannot get. */
async function askMachine({ url }: Extract<AwsIdentity, { kind: 'machine' }>, ask: Ask): Promise<Answer> {
  const ttl = { 'x-aws-ec2-metadata-token-ttl-seconds': SESSION_SECONDS }
  const session = await ask({ method: 'PUT', url: `${url}/latest/api/token`, headers: ttl, body: null }, 'machine')
  const headers = { 'x-aws-ec2-metadata-token': accepted(session).text.trim() }
  const roles = accepted(await ask(get(`${url}${ROLE_PATH}`, headers), 'machine'))
  const role = roles.text.split('\n')[0]!.trim()
  if (!/^[\w+=,.@-]{1,128}$/.test(role)) throw new UpstreamProblem('auth', 'the machine has no role')
  return accepted(await ask(get(`${url}${ROLE_PATH}${role}`, headers), 'machine'))
}

function get(url: string, headers: Record<string, string>): WireRequest {
  return { method: 'GET', url, headers, body: null }
}

function withPath(url: string): string {
  return new URL(url).href
}

function accepted(answer: Answer): Answer {
  if (answer.status !== 200) throw refusal(answer)
  return answer
}

type Fields = { AccessKeyId?: unknown; SecretAccessKey?: unknown; Token?: unknown; Expiration?: unknown }

function keysIn({ AccessKeyId, SecretAccessKey, Token, Expiration }: Fields, now: () => number): Fetched<AwsKeys> {
  if (!isText(AccessKeyId) || !isText(SecretAccessKey))
    throw new UpstreamProblem('auth', 'the answer of AWS holds no keys')
  const sessionToken = isText(Token) ? Token : undefined
  const lifetimeMs = lifetimeOf(Expiration, now())
  return { value: { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken }, lifetimeMs }
}

function lifetimeOf(expiration: unknown, now: number): number {
  const lifetime = Date.parse(toText(expiration)) - now
  return lifetime >= SANE_MS.least && lifetime <= SANE_MS.max ? lifetime : DEFAULT_LIFETIME_MS
}

function jsonFields(text: string): Fields {
  try {
    return recordOf(JSON.parse(text))
  } catch {
    return {}
  }
}

/** The members are texts without markup, except for entities, which keys and tokens do not contain. */
function xmlFields(text: string): Fields {
  const member = (name: string) => new RegExp(`<${name}>([^<&]+)</${name}>`).exec(text)?.[1]
  return {
    AccessKeyId: member('AccessKeyId'),
    SecretAccessKey: member('SecretAccessKey'),
    Token: member('SessionToken'),
    Expiration: member('Expiration'),
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
