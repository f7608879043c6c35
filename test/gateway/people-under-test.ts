import assert from 'node:assert/strict'
import { newSetupToken } from '../../src/tenants/sign-in/setup.ts'
import { ADMIN_KEY, type GatewayUnderTest } from './gateway-under-test.ts'

export const PASSWORD = 'correct horse battery staple'

type Answer = { status: number; body: ReturnType<typeof JSON.parse>; headers: Headers }
export type Client = (method: string, path: string, body?: object, headers?: Record<string, string>) => Promise<Answer>

/** A client of the admin listener with these headers. */
export function clientOf({ adminUrl }: Pick<GatewayUnderTest, 'adminUrl'>, own: Record<string, string> = {}): Client {
  return async (method, path, body, headers = {}) => {
    const type = body ? { 'content-type': 'application/json' } : {}
    const answer = await fetch(adminUrl + path, {
      method,
      headers: { ...type, ...own, ...headers },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'manual',
    })
    // A stream of the admin listener has no end of its own.
    const isEndless = answer.headers.get('content-type')?.startsWith('text/event-stream')
    if (isEndless) await answer.body?.cancel()
    const text = isEndless ? '' : await answer.text()
    const isJson = answer.headers.get('content-type')?.startsWith('application/json;')
    return { status: answer.status, body: isJson ? JSON.parse(text) : text, headers: answer.headers }
  }
}

export function operator(gateway: Pick<GatewayUnderTest, 'adminUrl'>): Client {
  return clientOf(gateway, { authorization: `Bearer ${ADMIN_KEY}` })
}

export function cookieIn({ headers }: Answer): string {
  const cookie = headers.get('set-cookie')
  assert.ok(cookie, 'the answer sets a cookie')
  return cookie.split(';')[0]!
}

/** Signs in, and returns a client with the session. */
export async function signedIn(gateway: GatewayUnderTest, email: string, password = PASSWORD): Promise<Client> {
  const answer = await clientOf(gateway)('POST', '/admin/sessions', { email, password })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return clientOf(gateway, { cookie: cookieIn(answer) })
}

/** The first owner, through the link that a start prints. */
export async function firstOwner(gateway: GatewayUnderTest, email = 'owner@example.com'): Promise<Client> {
  const token = await newSetupToken(gateway.gateway.services.tenants)
  const answer = await clientOf(gateway)('POST', '/admin/setup', { token, email, name: 'Olga', password: PASSWORD })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return clientOf(gateway, { cookie: cookieIn(answer) })
}

/** Invites a person with a role, and accepts the invitation. Returns a client with the session. */
export async function invited(
  inviter: Client,
  gateway: GatewayUnderTest,
  { email, role, project }: { email: string; role: string; project?: string },
): Promise<Client & { id: string }> {
  const invitation = await inviter('POST', '/admin/invitations', { email, role, ...(project && { project }) })
  assert.equal(invitation.status, 201, JSON.stringify(invitation.body))
  const { token } = invitation.body
  const accepted = await clientOf(gateway)('POST', '/admin/invitations/accept', {
    token,
    name: email,
    password: PASSWORD,
  })
  assert.equal(accepted.status, 201, JSON.stringify(accepted.body))
  return Object.assign(clientOf(gateway, { cookie: cookieIn(accepted) }), { id: accepted.body.id as string })
}
