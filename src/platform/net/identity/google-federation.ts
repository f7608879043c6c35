import { recordOf } from '../../../base/schema/record.ts'
import type { GoogleFederation, SubjectToken } from '../../../translation/wire/token-exchange.ts'
import { UpstreamProblem } from '../../../translation/wire/upstream-problem.ts'
import { sha256Hex, signRequest } from '../sigv4.ts'
import { type Answer, type Ask, refusal, type Way } from './ask.ts'
import { fetchAwsKeys } from './aws-keys.ts'
import { readTokenFile } from './token-file.ts'
import { form, GOOGLE_SCOPE } from './token-requests.ts'

// Google's workload identity federation: https://google.aip.dev/auth/4117

/** An address that only this machine and its neighbours have. Such a server says who the machine is. */
const MACHINE_HOST =
  /^(?:169\.254\.\d+\.\d+|127(?:\.\d+){3}|localhost|\[::1\]|\[fe80:.*\]|\[fd00:ec2::254\]|metadata\.google\.internal)$/

type Fetching = { ask: Ask; now(): number }

/** The answer has the token in the form of OAuth, or of Google's service for service accounts. */
export async function askGoogleFederation(exchange: GoogleFederation, { ask, now }: Fetching): Promise<Answer> {
  const { tokenUrl, audience, subjectTokenType, subject, impersonationUrl } = exchange
  const fields = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    audience,
    scope: GOOGLE_SCOPE,
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    subject_token: await subjectToken(subject, audience, { ask, now }),
    subject_token_type: subjectTokenType,
  }
  const answer = await ask(form(tokenUrl, fields), 'server')
  return impersonationUrl && answer.status === 200 ? await impersonate(impersonationUrl, answer, ask) : answer
}

async function impersonate(url: string, { text }: Answer, ask: Ask): Promise<Answer> {
  const { access_token: token } = parsed(text)
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${String(token)}` }
  const answer = await ask({ method: 'POST', url, headers, body: JSON.stringify({ scope: [GOOGLE_SCOPE] }) }, 'server')
  const { accessToken, expireTime } = parsed(answer.text)
  const expires_at = Date.parse(String(expireTime))
  return { ...answer, text: JSON.stringify({ access_token: accessToken, expires_at }) }
}

async function subjectToken(subject: SubjectToken, audience: string, fetching: Fetching): Promise<string> {
  if ('aws' in subject) return await signedByAws(subject, audience, fetching)
  if ('file' in subject) return memberOf(await readTokenFile(subject.file), subject.field)
  const { url, headers, field } = subject
  const answer = await fetching.ask({ method: 'GET', url, headers: { ...headers }, body: null }, wayTo(url))
  if (answer.status !== 200) throw refusal(answer)
  return memberOf(answer.text.trim(), field)
}

function wayTo(url: string): Way {
  return MACHINE_HOST.test(new URL(url).hostname) ? 'machine' : 'server'
}

/** Google sends this request to AWS to find out who signed it. AWS refuses it for any other audience. */
async function signedByAws(
  { aws, region, verificationUrl: url }: Extract<SubjectToken, { aws: unknown }>,
  audience: string,
  { ask, now }: Fetching,
): Promise<string> {
  const { value: credentials } = await fetchAwsKeys(aws, { ask, now })
  const request = { method: 'POST' as const, url, headers: { 'x-goog-cloud-target-resource': audience } }
  const scope = { credentials, region, service: 'sts', now: new Date(now()) }
  const signed = signRequest({ ...request, payloadHash: sha256Hex('') }, scope)
  const headers = Object.entries({ host: new URL(url).host, ...signed }).map(([key, value]) => ({ key, value }))
  return encodeURIComponent(JSON.stringify({ url, method: request.method, headers }))
}

function memberOf(text: string, field: string | undefined): string {
  const token = field === undefined ? text : parsed(text)[field]
  if (typeof token === 'string' && token !== '') return token
  throw new UpstreamProblem('auth', "the workload's token is not where it should be")
}

function parsed(text: string): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(text))
  } catch {
    return {}
  }
}
