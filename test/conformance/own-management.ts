import assert from 'node:assert/strict'
import { EXAMPLES_IN_PATHS } from '../../src/http/openapi/examples.ts'
import type { GatewayUnderTest } from '../gateway/gateway-under-test.ts'
import { keyForPath, managementKeys } from '../gateway/management-keys.ts'
import { operator } from '../gateway/people-under-test.ts'
import type { Own } from './own-things.ts'

let made = 0

/** Creates what the examples at /v3/manage presuppose, and the management key that sends them. */
export async function ownManagement(gateway: GatewayUnderTest, path: string): Promise<Own> {
  const keys = await managementKeys(gateway.adminUrl)
  const authorization = `Bearer ${keyForPath(path, keys)}`
  const headers = JSON.stringify({ authorization })
  if (path.includes('{email}')) await member(gateway)
  if (path.includes('{id}')) return { headers, id: await created(gateway.url, path, authorization), ...queryOf(path) }
  return { headers, ...queryOf(path) }
}

function queryOf(path: string): Own {
  return path.endsWith('/usage') ? { query: '?step=1' } : {}
}

async function created(url: string, path: string, authorization: string): Promise<string> {
  const list = path.slice(0, path.indexOf('/{'))
  const body = { name: `made ${++made}`, ...(list.endsWith('auth-keys') && { scopes: ['manage:read'] }) }
  const headers = { authorization, 'content-type': 'application/json' }
  const reply = await fetch(url + list, { method: 'POST', headers, body: JSON.stringify(body) })
  assert.equal(reply.status, 201)
  return ((await reply.json()) as { id: string }).id
}

async function member(gateway: GatewayUnderTest): Promise<void> {
  const email = EXAMPLES_IN_PATHS.email!
  await operator(gateway)('POST', '/admin/users', { kind: 'person', name: 'Grace', email, role: 'member' })
}
