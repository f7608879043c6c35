import { newSetupToken } from '../../src/tenants/sign-in/setup.ts'
import { linkRequest } from '../../src/platform/store/sign-in/identity-links.ts'
import { EXAMPLES } from '../../src/http/openapi/examples.ts'
import type { GatewayUnderTest } from '../gateway/gateway-under-test.ts'
import { clientOf, cookieIn, operator } from '../gateway/people-under-test.ts'
import type { Own } from './own-things.ts'

let made = 0

/** Creates what the examples about people presuppose. */
export function ownPeople(gateway: GatewayUnderTest): (path: string) => Promise<Own | undefined> {
  const admin = operator(gateway)
  const guest = clientOf(gateway)
  const { db } = gateway.gateway.services.calls

  /** The person of the examples, signed in. She is the first owner. */
  async function ada(): Promise<string> {
    const again = await guest('POST', '/admin/sessions', EXAMPLES.SignInRequest as object)
    if (again.status === 201) return cookieIn(again)
    const body = { ...(EXAMPLES.SetupRequest as object), ...(await setupLink()) }
    return cookieIn(await guest('POST', '/admin/setup', body))
  }

  async function setupLink(): Promise<Own> {
    return { token: await newSetupToken(gateway.gateway.services.tenants) }
  }

  async function session(): Promise<Own> {
    const cookie = await ada()
    const { body } = await clientOf(gateway, { cookie })('GET', '/admin/sessions')
    return { cookie, id: body.items.find(({ current }: { current: boolean }) => current).id }
  }

  async function account(): Promise<Own> {
    const { body } = await admin('POST', '/admin/users', { name: 'deployments' })
    const token = await admin('POST', `/admin/users/${body.id}/tokens`, { name: 'first' })
    return { id: body.id, token_id: token.body.id }
  }

  /** A person who has never signed in. */
  async function withoutWayIn(): Promise<Own> {
    const { body } = await admin('POST', '/admin/users', { kind: 'person', name: 'Bob', email: newEmail() })
    return { id: body.id }
  }

  /** An account that can become a member of the project of the examples. */
  async function candidate(): Promise<Own> {
    await admin('POST', '/admin/projects', { name: 'Research' })
    return account()
  }

  async function membership(): Promise<Own> {
    const { id } = await candidate()
    return { id: (await admin('POST', '/admin/members', { user: id, role: 'member', project: 'research' })).body.id }
  }

  async function invitation(): Promise<Own> {
    const { body } = await admin('POST', '/admin/invitations', { email: newEmail(), role: 'member' })
    return { id: body.id, token: body.token }
  }

  async function identityLink(): Promise<Own> {
    const id = crypto.randomUUID()
    await db.transaction(linkRequest({ id, issuer: 'https://id.example', subject: id, email: newEmail(), name: 'Eve' }))
    return { id }
  }

  const newEmail = () => `number-${++made}@example.com`
  const makers: [RegExp, () => Promise<Own>][] = [
    [/^\/admin\/setup$/, setupLink],
    [/^\/admin\/sessions\/|^\/admin\/me(\/|$)/, session],
    [/^\/admin\/sessions$/, async () => ada().then(() => ({}))],
    [/^\/admin\/users\/.*\/invitation$/, withoutWayIn],
    [/^\/admin\/users\//, account],
    [/^\/admin\/members$/, candidate],
    [/^\/admin\/members\//, membership],
    [/^\/admin\/invitations\//, invitation],
    [/^\/admin\/identity-links\//, identityLink],
  ]
  return async (path) => makers.find(([pattern]) => pattern.test(path))?.[1]()
}
