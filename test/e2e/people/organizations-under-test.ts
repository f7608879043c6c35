import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Role, ROLES } from '../../../src/contract/admin/roles.ts'
import { withDashes } from '../../../src/base/schema/resource-id.ts'
import { someOf } from '../../soak/sample.ts'
import { chatClient, HELLO } from '../../gateway/chat-client.ts'
import type { GatewayUnderTest } from '../../gateway/gateway-under-test.ts'
import { type Client, clientOf, operator } from '../../gateway/people-under-test.ts'
import { taskClient } from '../../gateway/task-client.ts'

const TASK = { model: 'text/moderation/sandbox', input: { text: 'Hello!' } }
const POLL_MS = 20

export type Stranger = [who: string, client: Client]
export type Things = Awaited<ReturnType<typeof furnish>>

/** An organization with one of everything. Returns the ids. `receiver` takes its webhook. */
export async function furnish(organization: string, gateway: GatewayUnderTest, receiver: string) {
  const admin = operator(gateway)
  const made = async (path: string, body: object) => {
    const answer = await admin('POST', path, body)
    assert.equal(answer.status, 201, `${path} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  await made('/admin/organizations', { name: `The ${organization}`, id: organization })
  const project = (await made('/admin/projects', { name: `p of ${organization}`, organization })).id as string
  const user = (await made('/admin/users', { name: 'robot', role: 'member', project })).id as string
  const token = (await made(`/admin/users/${user}/tokens`, { name: 't' })).id as string
  const key = await made('/admin/keys', { name: 'k', project, user })
  const invitation = { email: `guest@${organization}.example`, role: 'member', project }
  const limit = { applies_to: `project:${project}`, limit: 1_000, window: 'day' }
  const { headers } = await chatClient(gateway.url).whole(
    { model: 'sandbox/echo', ...HELLO },
    { headers: { authorization: `Bearer ${key.key}`, 'x-session-id': `session of ${organization}` } },
  )
  const job = await jobOf(key.key, gateway, receiver)
  const batch = await batchOf(key.key, gateway)
  await gateway.gateway.services.calls.ledger.flush()
  const session = `/admin/agent-sessions?session=${encodeURIComponent(`session of ${organization}`)}`
  return {
    organization,
    project,
    user,
    token,
    key: key.id as string,
    job,
    batch,
    member: (await admin('GET', `/admin/members?user=${user}`)).body.items[0].id as string,
    invitation: (await made('/admin/invitations', invitation)).id as string,
    budget: (await made('/admin/budgets', limit)).id as string,
    wide: (await made('/admin/budgets', { ...limit, applies_to: `organization:${organization}` })).id as string,
    rate: (await made('/admin/rate-limits', { ...limit, applies_to: `user:${user}`, unit: 'requests' })).id as string,
    guardrail: (await made('/admin/guardrails', GUARDRAIL(project))).id as string,
    call: headers.get('x-request-id')!,
    delivery: await deliveryOf(job, admin),
    agentSession: (await admin('GET', session)).body.items[0].id as string,
  }
}

async function jobOf(key: string, gateway: GatewayUnderTest, receiver: string): Promise<string> {
  const tasks = taskClient(gateway.url, key)
  const { body, text } = await tasks.submit({ ...TASK, webhook_receiver: `${receiver}/200` })
  assert.ok(body.job_id, text)
  await tasks.ended(body.job_id)
  return body.job_id
}

const GUARDRAIL = (project: string) => ({
  applies_to: `project:${project}`,
  checks: [{ check: 'patterns', words: ['forbidden'] }],
  action: 'flag',
})

const CHAT_LINE = { custom_id: 'one', body: { model: 'sandbox/echo', ...HELLO } }

/** The id of a batch as the ledger names it. */
async function batchOf(key: string, gateway: GatewayUnderTest): Promise<string> {
  const body = { endpoint: '/v3/chat/completions', requests: [CHAT_LINE] }
  const created = await taskClient(gateway.url, key).post<{ id: string }>('/v3/batches', body)
  assert.ok(created.body.id, created.text)
  return withDashes(created.body.id.replace('batch_', ''))
}

/** Waits until the webhook of the job has arrived. */
async function deliveryOf(job: string, admin: Client): Promise<string> {
  for (;;) {
    const { body } = await admin('GET', `/admin/deliveries?job_id=${job}&state=delivered`)
    if (body.items.length > 0) return body.items[0].id
    await sleep(POLL_MS)
  }
}

/** A service account for each role in each of these places. The first role is that of owners. */
export async function withRoles(gateway: GatewayUnderTest, places: readonly object[]): Promise<Stranger[]> {
  return await Promise.all(ROLES.flatMap((role) => places.map((place) => withRole(gateway, role, place))))
}

export async function withRole(gateway: GatewayUnderTest, role: Role, place: object): Promise<Stranger> {
  const admin = operator(gateway)
  const { body: account } = await admin('POST', '/admin/users', { name: role, role, ...place })
  const { body } = await admin('POST', `/admin/users/${account.id}/tokens`, { name: 't' })
  return [`${role} ${JSON.stringify(place)}`, clientOf(gateway, { authorization: `Bearer ${body.token}` })]
}

/** Under `npm test`, the first store tries the first of them, which is an owner, and the other one tries each in turn. */
export function someStrangers(strangers: readonly Stranger[], index: number, store: number): Stranger[] {
  return store === 0 ? someOf(strangers, 0, 1) : someOf(strangers, index + store, 1)
}
