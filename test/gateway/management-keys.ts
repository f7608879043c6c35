import assert from 'node:assert/strict'
import { adminClient } from './admin-client.ts'

/** Management keys of one service account with the role admin: one that makes keys, and one that manages. */
export async function managementKeys(adminUrl: string): Promise<{ issuer: string; worker: string }> {
  const admin = adminClient(adminUrl)
  const { body: account } = await admin.post<{ id: string }>('/admin/users', { name: 'provisioning', role: 'admin' })
  const keyWith = async (scopes: string[]) => {
    const path = `/admin/users/${account.id}/tokens`
    const { status, body, text } = await admin.post<{ token: string }>(path, { name: 'management', scopes })
    assert.equal(status, 201, text)
    return body.token
  }
  return { issuer: await keyWith(['manage:mint']), worker: await keyWith(['manage:read', 'manage:write']) }
}

/** The one of them that may use a path. */
export function keyForPath(path: string, { issuer, worker }: { issuer: string; worker: string }): string {
  return path.startsWith('/v3/manage/auth-keys') ? issuer : worker
}
