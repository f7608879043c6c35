import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { type DevicePage, sendForm } from './agent-client.ts'

// A program that asks a person to let it use MCP, as it speaks on the wire, and the browser of the person.

export const REDIRECT_URI = 'http://127.0.0.1:8976/callback'
const VERIFIER = 'a-verifier-of-at-least-forty-three-characters-1'
const CHALLENGE = hash('sha256', VERIFIER, 'base64url')

export async function registered(url: string, redirect_uris = [REDIRECT_URI], client_name = 'An editor') {
  const reply = await fetch(`${url}/v3/mcp/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris, client_name, grant_types: ['authorization_code'] }),
  })
  const body = (await reply.json()) as { client_id: string; error?: string }
  return { status: reply.status, ...body }
}

/** The address that a program opens in the browser. */
export function authorizeUrl(url: string, client_id: string, changes: Record<string, string | undefined> = {}): string {
  const parameters = {
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT_URI,
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
    resource: `${url}/v3/mcp`,
    scope: 'mcp',
    state: 'a state & more',
    ...changes,
  }
  const given = Object.entries(parameters).filter((one): one is [string, string] => one[1] !== undefined)
  return `${url}/v3/mcp/oauth/authorize?${new URLSearchParams(given)}`
}

type Page = { status: number; text: string; headers: Headers }

export async function openPage(url: string, cookie?: string): Promise<Page> {
  const reply = await fetch(url, { headers: cookie === undefined ? {} : { cookie }, redirect: 'manual' })
  return { status: reply.status, text: await reply.text(), headers: reply.headers }
}

/** Where a page leads on by itself. */
export function leadsTo({ text }: Pick<Page, 'text'>): string {
  const [, url] = /http-equiv="refresh" content="0;url=([^"]*)"/.exec(text) ?? []
  assert.ok(url, text)
  return url.replaceAll('&amp;', '&').replaceAll('&#39;', "'")
}

/** The consent page of a person who has signed in: what it asks for, sealed, and the person for whom it is made. */
export async function consentOf(url: string, page: DevicePage, asked: string) {
  const path = leadsTo(await openPage(asked, page.cookie))
  const shown = await openPage(url + path, page.cookie)
  assert.equal(shown.status, 200, shown.text)
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(shown.text)?.[1] ?? ''
  return { text: shown.text, form: { request: field('request'), person: field('person') } }
}

export async function decide(url: string, page: DevicePage, form: Record<string, string>, headers = {}) {
  const own = { origin: url, 'sec-fetch-site': 'same-origin', cookie: page.cookie ?? '', ...headers }
  return await sendForm(`${url}/v3/mcp/oauth/consent`, { decision: 'confirm', project: 'default', ...form }, own)
}

/** What the browser brings back to the program after the consent. */
export async function allowed(url: string, page: DevicePage, asked: string): Promise<URLSearchParams> {
  const { form } = await consentOf(url, page, asked)
  const { status, body } = await decide(url, page, form)
  assert.equal(status, 200, String(body))
  return new URL(leadsTo({ text: body })).searchParams
}

export function exchange(url: string, client_id: string, code: string, changes: Record<string, string> = {}) {
  return sendForm(`${url}/v3/mcp/oauth/token`, { ...exchangeForm(client_id, code), ...changes })
}

export function exchangeForm(client_id: string, code: string): Record<string, string> {
  return { grant_type: 'authorization_code', client_id, code, code_verifier: VERIFIER, redirect_uri: REDIRECT_URI }
}

export function renewed(url: string, client_id: string, refresh_token: string) {
  return sendForm(`${url}/v3/mcp/oauth/token`, { grant_type: 'refresh_token', client_id, refresh_token })
}

/** The status of a request to an MCP server, and what it says to those that have no token. */
export async function askMcp(url: string, token: string, path = '/v3/mcp') {
  const reply = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  })
  return { status: reply.status, challenge: reply.headers.get('www-authenticate'), text: await reply.text() }
}
