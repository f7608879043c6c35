import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { withDashes } from '../../src/base/schema/resource-id.ts'
import { taskClient } from '../gateway/task-client.ts'
import { type ConsolePage, consoleTest, endShared } from './checked-page.ts'
import { HOSTILE } from './seed.ts'

endShared()

const POLL_MS = 20

consoleTest('a batch shows its progress and leads to its requests', async (console) => {
  const { page, base } = console
  const id = await endedBatch(console)
  await page.goto(`${base}/batches?project=search&status=completed`)
  await page.getByText('1 of 2, 1 failed').first().waitFor()
  await page.goto(`${base}/batches?batch=${id}`)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('1 of 2, 1 failed').waitFor()
  await dialog.getByText('provider or gateway').waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Cancel', exact: true }).count(), 0)
  await dialog.getByRole('link', { name: 'requests of this batch' }).click()
  await page.waitForURL(/\/requests\?.*batch=/)
  await page.getByText('sandbox/echo').first().waitFor()
})

consoleTest('a paused batch says why and until when, and is cancelled', async (console) => {
  const { page, base, owner } = console
  const id = await endedBatch(console)
  const pause = `UPDATE batches SET state = 'in_progress', ended_at = NULL, ending = NULL, paused_reason = $2, lease_until = NULL,
    resume_at = steady_ms() + 600000, deadline_at = steady_ms() + 6000000 WHERE id = $1`
  await console.gateway.gateway.services.calls.db.query(pause, [id, HOSTILE])
  await page.goto(`${base}/batches?project=search`)
  await page.getByText(/^[2-9] batches$/).waitFor()
  await page.goto(`${base}/batches?status=open&batch=${id}`)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('paused', { exact: true }).waitFor()
  await dialog.getByText(HOSTILE).waitFor()
  await dialog.getByText('Resumes at').waitFor()
  assert.equal(await page.locator('img').count(), 0)
  await dialog.getByRole('button', { name: 'Cancel', exact: true }).click()
  await dialog.getByRole('button', { name: 'Cancel batch' }).click()
  await page.getByText('The batch will end when').waitFor()
  const { body } = await owner('GET', '/admin/audit?action=batch.cancel')
  assert.equal(body.items[0].object, `batch:${id}`)
})

/** With a request that was answered, and one that failed. Returns its id. */
async function endedBatch({ owner, gateway }: ConsolePage): Promise<string> {
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
