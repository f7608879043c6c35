import assert from 'node:assert/strict'
import { PASSWORD } from './people-under-test.ts'

// A terminal that signs in, and the browser of the person, both as they speak on the wire.

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
type Answer = { status: number; body: ReturnType<typeof JSON.parse>; headers: Headers }
type Codes = { device_code: string; user_code: string; verification_uri: string }
export type Tokens = { access_token: string; refresh_token: string; expires_in: number; email: string }

/** Sends a form to a gateway. */
export async function sendForm(url: string, form: Record<string, string>, headers = {}): Promise<Answer> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'claude-cli/2.1.300 (external)',
      ...headers,
    },
    body: new URLSearchParams(form),
    redirect: 'manual',
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json')
  return { status: answer.status, body: isJson ? JSON.parse(text) : text, headers: answer.headers }
}

export async function beginSignIn(url: string, form = {}): Promise<Codes> {
  const { status, body } = await sendForm(`${url}/v3/claude/oauth/device_authorization`, form)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

export function redeem(url: string, { device_code }: Pick<Codes, 'device_code'>): Promise<Answer> {
  return sendForm(`${url}/v3/claude/oauth/token`, { grant_type: GRANT, device_code })
}

export function renew(url: string, refresh_token: string): Promise<Answer> {
  return sendForm(`${url}/v3/claude/oauth/token`, { grant_type: 'refresh_token', refresh_token })
}

/** The page for the code in the browser of a person. */
export class DevicePage {
  readonly #url: string
  cookie: string | undefined

  constructor(url: string, cookie?: string) {
    this.#url = url
    this.cookie = cookie
  }

  async show(): Promise<Answer> {
    const answer = await fetch(`${this.#url}/v3/device`, { headers: this.#headers() })
    return { status: answer.status, body: await answer.text(), headers: answer.headers }
  }

  async step(step: string, form: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<Answer> {
    const own = { origin: this.#url, 'sec-fetch-site': 'same-origin', ...this.#headers(), ...headers }
    const answer = await sendForm(`${this.#url}/v3/device`, { step, ...form }, own)
    const set = answer.headers.getSetCookie().find((one) => /^(__Host-)?gatehouse-device=/.test(one))
    if (set) this.cookie = set.split(';')[0]!
    return answer
  }

  async signIn(email: string, password = PASSWORD): Promise<void> {
    const { status, body } = await this.step('sign-in', { email, password })
    assert.equal(status, 303, String(body))
  }

  confirm(code: string, project = 'default'): Promise<Answer> {
    return this.step('decide', { code, project, decision: 'confirm' })
  }

  #headers(): Record<string, string> {
    return this.cookie === undefined ? {} : { cookie: this.cookie }
  }
}

/** Signs an agent in, from the first request to the tokens. */
export async function signAgentIn(url: string, email: string, project = 'default'): Promise<Tokens> {
  const codes = await beginSignIn(url)
  const page = new DevicePage(url)
  await page.signIn(email)
  const confirmed = await page.confirm(codes.user_code, project)
  assert.equal(confirmed.status, 200, String(confirmed.body))
  const { status, body } = await redeem(url, codes)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** The status of a call with this token. */
export async function statusOfCall(url: string, token: string): Promise<number> {
  const answer = await fetch(`${url}/v3/claude/v1/messages?beta=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ model: 'sandbox/echo', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }),
  })
  await answer.text()
  return answer.status
}
