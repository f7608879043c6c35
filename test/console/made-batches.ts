import { setTimeout as sleep } from 'node:timers/promises'
import { withDashes } from '../../src/base/schema/resource-id.ts'
import { taskClient } from '../gateway/task-client.ts'
import type { ConsolePage } from './checked-page.ts'

type Maker = Pick<ConsolePage, 'owner' | 'gateway'>

const POLL_MS = 20

/** With a request that was answered, and one that failed. Returns its id. */
export async function endedBatch({ owner, gateway }: Maker): Promise<string> {
  const { body } = await owner('POST', '/admin/keys', { name: 'batches of search', project: 'search' })
  const messages = [{ role: 'user', content: 'Hello!' }]
  const created = await taskClient(gateway.url, body.key).post<{ id: string }>('/v3/batches', {
    endpoint: '/v3/chat/completions',
    requests: [
      { custom_id: 'one', body: { model: 'sandbox/echo', messages } },
      { custom_id: 'two', body: { model: 'missing/model', messages } },
    ],
  })
  const id = withDashes(created.body.id.replace('batch_', ''))
  while ((await owner('GET', `/admin/batches/${id}`)).body.ended_at === null) await sleep(POLL_MS)
  return id
}

/** One that waits for this reason, and can be cancelled. Returns its id. */
export async function pausedBatch({ owner, gateway }: Maker, reason: string): Promise<string> {
  const id = await endedBatch({ owner, gateway })
  const pause = `UPDATE batches SET state = 'in_progress', ended_at = NULL, ending = NULL, paused_reason = $2, lease_until = NULL,
    resume_at = steady_ms() + 600000, deadline_at = steady_ms() + 6000000 WHERE id = $1`
  await gateway.gateway.services.calls.db.query(pause, [id, reason])
  return id
}
