import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { invited, PASSWORD } from '../gateway/people-under-test.ts'
import { type TaskClient, taskClient } from '../gateway/task-client.ts'
import { type ConsolePage, consoleTest, endShared } from './checked-page.ts'
import { HOSTILE } from './seed.ts'

endShared()

const TASK = { model: 'text/moderation/sandbox', input: { text: 'a text of the test' } }

consoleTest('jobs are counted by state, opened, read on request and run again', async (console) => {
  const { page, base } = console
  const [id] = await failedJobs(console, 'search', 1)
  await page.goto(`${base}/jobs`)
  await page.getByRole('link', { name: /^Failed/ }).click()
  await page.waitForURL(/status=fail/)
  await page.goto(`${base}/jobs?status=fail&job=${id}`)
  const dialog = page.getByRole('dialog')
  await dialog.getByText(HOSTILE).first().waitFor()
  await dialog.getByRole('link', { name: 'jobs of search' }).first().waitFor()
  await dialog.getByText('Started', { exact: false }).first().waitFor()
  assert.equal(await dialog.getByText('a text of the test').count(), 0)
  await dialog.getByRole('button', { name: 'Show input and result' }).click()
  await dialog.getByText('a text of the test').first().waitFor()
  assert.equal(await page.locator('img').count(), 0)
  await dialog.getByRole('button', { name: 'Retry', exact: true }).click()
  await dialog.getByRole('button', { name: 'Retry job' }).click()
  await dialog.getByText('Submitted again').waitFor()
  await dialog.getByRole('link', { name: id! }).waitFor()
})

consoleTest('all jobs of a filter are deleted after their count was confirmed', async (console) => {
  const { page, base, owner } = console
  await failedJobs(console, 'support', 3)
  await page.goto(`${base}/jobs?project=support&status=fail`)
  await page.getByText('3 jobs', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Bulk actions…' }).click()
  await page.getByRole('combobox', { name: 'Action' }).selectOption('Delete')
  await page.getByRole('button', { name: 'Delete 3 jobs' }).click()
  await page.getByText('No jobs to delete.').waitFor()
  const { body } = await owner('GET', '/admin/jobs/counts?project=support')
  assert.equal(body.fail, 0)
})

consoleTest('a count that is not true any more does nothing, and is asked for again', async (console) => {
  const { page, base, owner, expect } = console
  expect(/status of 409/)
  await failedJobs(console, 'support', 1)
  await page.goto(`${base}/jobs?project=support&status=fail`)
  await page.getByRole('button', { name: 'Bulk actions…' }).click()
  await page.getByRole('combobox', { name: 'Action' }).selectOption('Delete')
  const confirm = page.getByRole('button', { name: 'Delete 1 job' })
  await confirm.waitFor()
  await failedJobs(console, 'support', 8)
  await confirm.click()
  await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: 'Delete 9 jobs' }).waitFor()
  assert.equal((await owner('GET', '/admin/jobs/counts?project=support')).body.fail, 9)
})

consoleTest(
  'a manager who may not read contents sees the rest of a job, and a note',
  async (console) => {
    const { page, base, owner, gateway } = console
    const [id] = await failedJobs(console, 'support', 1)
    const email = `${randomUUID()}@example.com`
    await invited(owner, gateway, { email, role: 'manager', project: 'support' })
    await page.context().request.post(`${base}/admin/sessions`, { data: { email, password: PASSWORD } })
    await page.goto(`${base}/jobs?job=${id}`)
    const dialog = page.getByRole('dialog')
    await dialog.getByText("You don't have access to this content", { exact: false }).waitFor()
    assert.equal(await dialog.getByRole('button', { name: 'Show input and result' }).count(), 0)
    await dialog.getByRole('button', { name: 'Retry', exact: true }).click()
    await dialog.getByRole('button', { name: 'Retry job' }).click()
    await dialog.getByText('Submitted again').waitFor()
    await owner('PATCH', '/admin/projects/support', { content: { mode: 'off', managers_read: true } })
    await page.reload()
    await dialog.getByRole('button', { name: 'Show input and result' }).click()
    await dialog.getByText('a text of the test').first().waitFor()
    await owner('PATCH', '/admin/projects/support', { content: { mode: 'off' } })
  },
  { signedIn: false },
)

/** Returns their ids. */
async function failedJobs({ owner, gateway }: ConsolePage, project: string, count: number): Promise<string[]> {
  const { body } = await owner('POST', '/admin/keys', { name: `jobs of ${project}`, project })
  const client: TaskClient = taskClient(gateway.url, body.key)
  const ids: string[] = []
  for (let at = 0; at < count; at++) {
    const { body: job } = await client.submit(TASK)
    await client.ended(job.job_id)
    const sql = "UPDATE jobs SET state = 'fail', error = $2, finished_at = now_ms() WHERE id = $1"
    await gateway.gateway.services.calls.db.query(sql, [job.job_id, HOSTILE])
    ids.push(job.job_id)
  }
  return ids
}
