import assert from 'node:assert/strict'
import type { CreatedKey } from '../../src/contract/admin/keys.ts'
import { ADMIN_KEY } from './gateway-under-test.ts'

export type AdminReply<Body> = { status: number; headers: Headers; text: string; body: Body }
export type Refusal = {
  error: { message: string; type: string; code: string; param: string | null }
  detail: { loc: (string | number)[]; msg: string; type: string }[]
}

export type AdminClient = {
  get<Body>(path: string): Promise<AdminReply<Body>>
  post<Body>(path: string, body: object): Promise<AdminReply<Body>>
  patch<Body>(path: string, body: object): Promise<AdminReply<Body>>
  delete(path: string): Promise<AdminReply<Refusal>>
  /** Creates a key with these options, for tests that need one. */
  issue(options?: object): Promise<CreatedKey>
}

/** A plain HTTP client of the admin API. */
export function adminClient(url: string, key = ADMIN_KEY): AdminClient {
  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    patch: (path, body) => call('PATCH', path, body),
    delete: (path) => call('DELETE', path),
    issue: async (options) => {
      const { status, body, text } = await call<CreatedKey>('POST', '/admin/keys', { name: 'test', ...options })
      assert.equal(status, 201, text)
      return body
    },
  }

  async function call<Body>(method: string, path: string, body?: object): Promise<AdminReply<Body>> {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      body: body ? JSON.stringify(body) : null,
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: text && JSON.parse(text) }
  }
}
