import { withoutControls } from '../../base/schema/label.ts'
import { isRecord, recordOf, textOf } from '../../base/schema/record.ts'
import { DEVICE_GRANT } from '../../contract/agents.ts'
import { getWithToken, postForm } from '../../platform/net/text-requests.ts'
import { UsageError } from '../usage-error.ts'
import type { Credential } from './credential-file.ts'

// What the command says to the gateway: the device flow, renewals and the sign-out, as coding agents say it.

const BASE = '/v3/claude/oauth'
const REQUEST_MS = 20_000
const MAX_ANSWER_BYTES = 100_000
const MAX_LIST_BYTES = 10_000_000
const AGENT = 'gatehouse-cli'

type Answer = { status: number; body: Record<string, unknown> }

/** The gateway cannot be reached, or is not ready. */
class NoAnswer extends UsageError {}

async function post(url: string, path: string, form: Record<string, string>): Promise<Answer> {
  const limits = { agent: AGENT, timeoutMs: REQUEST_MS, maxBytes: MAX_ANSWER_BYTES }
  const { status, text } = await postForm(`${url}${BASE}/${path}`, form, limits).catch(() => {
    throw new NoAnswer(`The gateway at ${url} does not answer.`)
  })
  if (status === 404)
    throw new UsageError(`Sign-in of agents is off at ${url}. Its operator has to set "agents": { "signIn": true }.`)
  try {
    const body: unknown = JSON.parse(text)
    if (isRecord(body)) return { status, body }
  } catch {
    // Said below.
  }
  // A proxy in front answers for a gateway that starts.
  if (status >= 500) throw new NoAnswer(`The gateway at ${url} does not answer now (status ${status}).`)
  throw noGateway(url, status)
}

function noGateway(url: string, status: number): UsageError {
  return new UsageError(`The server at ${url} is not a gateway (status ${status}).`)
}

/** Codes and tokens are printed and go into headers, so they have neither spaces nor escape sequences. */
const IS_SECRET = /^[\x21-\x7e]{1,4096}$/
const MIN_INTERVAL_S = 1
/** What holds if the server names none (RFC 8628). */
const USUAL_INTERVAL_S = 5

type BegunLogin = { deviceCode: string; userCode: string; page: string; intervalMs: number; expiresAt: number }

export async function beginLogin(url: string, device: string, now: number): Promise<BegunLogin> {
  const { status, body } = await post(url, 'device_authorization', { device_name: device })
  if (status !== 200) throw new UsageError(`The gateway refused: ${reasonIn(body)}`)
  const { interval = USUAL_INTERVAL_S, expires_in: seconds } = body
  const [deviceCode, userCode] = [textOf(body.device_code), textOf(body.user_code)]
  const page = URL.parse(textOf(body.verification_uri))
  const isWhole = [deviceCode, userCode].every((one) => IS_SECRET.test(one)) && /^https?:$/.test(page?.protocol ?? '')
  if (!page || !isWhole || typeof interval !== 'number' || typeof seconds !== 'number') throw noGateway(url, status)
  const intervalMs = Math.max(MIN_INTERVAL_S, interval) * 1_000
  return { deviceCode, userCode, page: page.href, intervalMs, expiresAt: now + seconds * 1_000 }
}

/** `pending` while the person has not decided; `slower` if the gateway wants to be asked less often, or cannot be asked now. */
export async function askForTokens(
  url: string,
  deviceCode: string,
  now: number,
): Promise<Credential | 'pending' | 'slower'> {
  const answer = await post(url, 'token', { grant_type: DEVICE_GRANT, device_code: deviceCode }).catch(ifNoAnswer)
  if (answer === undefined) return 'slower'
  const { status, body } = answer
  if (status === 200) return credentialIn(url, body, now)
  if (body.error === 'authorization_pending') return 'pending'
  if (body.error === 'slow_down' || status >= 500) return 'slower'
  throw new UsageError(reasonIn(body))
}

function ifNoAnswer(error: unknown): undefined {
  if (!(error instanceof NoAnswer)) throw error
}

export async function renewed({ url, refresh }: Credential, now: number): Promise<Credential> {
  const { status, body } = await post(url, 'token', { grant_type: 'refresh_token', refresh_token: refresh })
  if (status === 200) return credentialIn(url, body, now)
  if (body.error === 'invalid_grant') throw new UsageError('Your sign-in has ended. Run `gatehouse login` again.')
  throw new UsageError(`The gateway did not renew the token: ${reasonIn(body)}`)
}

export async function endLogin({ url, refresh }: Credential): Promise<void> {
  const { status, body } = await post(url, 'revoke', { token: refresh, token_type_hint: 'refresh_token' })
  if (status !== 200) throw new UsageError(`The gateway refused: ${reasonIn(body)}`)
}

/** The names of the chat models that the person may use. */
export async function chatModels({ url, access }: Pick<Credential, 'url' | 'access'>): Promise<string[]> {
  const limits = { agent: AGENT, timeoutMs: REQUEST_MS, maxBytes: MAX_LIST_BYTES }
  const { status, text } = await getWithToken(`${url}/v3/models?type=chat`, access, limits).catch(() => {
    throw new UsageError(`The gateway at ${url} does not answer.`)
  })
  if (status !== 200) throw new UsageError(`The gateway at ${url} does not list its models (status ${status}).`)
  const { data } = recordOf(JSON.parse(text))
  return Array.isArray(data) ? data.flatMap((model) => textOf(recordOf(model).id) || []) : []
}

function credentialIn(url: string, body: Record<string, unknown>, now: number): Credential {
  const [access, refresh, seconds] = [textOf(body.access_token), textOf(body.refresh_token), body.expires_in]
  if (![access, refresh].every((one) => IS_SECRET.test(one)) || typeof seconds !== 'number') throw noGateway(url, 200)
  const email = typeof body.email === 'string' ? withoutControls(body.email) : null
  return { url, access, refresh, expiresAt: now + seconds * 1_000, email }
}

function reasonIn({ error, error_description: sentence }: Record<string, unknown>): string {
  return withoutControls(textOf(sentence) || textOf(error)) || 'without a reason.'
}
