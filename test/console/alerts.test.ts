import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Database } from '../../src/platform/store/database.ts'
import { insertAlert, type NewAlert, resolveAlert } from '../../src/platform/store/alerts/alerts.ts'
import { consoleTest, endShared } from './checked-page.ts'
import { addFilter } from './filters.ts'
import { HOSTILE } from './seed.ts'

endShared()

consoleTest('an open alert is found, read and acknowledged; a past one cannot be acknowledged', async (console) => {
  const { page, base, owner, gateway } = console
  const { db } = gateway.gateway.services.calls
  const id = await putAlert(db, {
    summary: `12 jobs failed ${HOSTILE}`,
    details: JSON.stringify({ [HOSTILE]: HOSTILE }),
  })
  const past = await putAlert(db, { summary: 'It was slow', rule: 'error_rate', value: 0.25 })
  await db.transaction([resolveAlert(past, Date.now())])
  await page.goto(`${base}/alerts`)
  await page.getByRole('link', { name: 'It was slow' }).waitFor()
  await addFilter(page, 'Rule', 'Failed jobs')
  await page.getByRole('link', { name: 'It was slow' }).waitFor({ state: 'detached' })
  assert.equal(new URL(page.url()).searchParams.get('rule'), 'failed_jobs')
  await page.getByRole('button', { name: /^Acknowledge 12 jobs failed/ }).click()
  await page.getByRole('cell', { name: /^Olga/ }).waitFor()
  await page.getByRole('link', { name: /^12 jobs failed/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('code', { hasText: id }).waitFor()
  assert.equal(await dialog.getByText(HOSTILE, { exact: true }).count(), 2)
  assert.equal(await page.locator('img').count(), 0)
  const { body } = await owner('GET', '/admin/alerts?state=open&rule=failed_jobs')
  assert.ok(body.items.find((alert: { id: string }) => alert.id === id).acknowledged_at)
})

async function putAlert(db: Database, parts: Partial<NewAlert>): Promise<string> {
  const [id, now] = [randomUUID(), Date.now() - 60_000]
  const usual = { rule: 'failed_jobs', subject: id, state: 'open', severity: 'error', details: '{}', project: 'search' }
  const alert = {
    ...usual,
    id,
    summary: '',
    value: 12,
    threshold: 10,
    since: now,
    createdAt: now,
    ...parts,
  } as NewAlert
  await db.transaction([insertAlert(alert)])
  return id
}

consoleTest('rules have their thresholds, and a test tells what a receiver answers', async ({ page, base }) => {
  await page.goto(`${base}/alerts?view=rules`)
  const rule = page.getByRole('row', { name: /^Error rate/ })
  await rule.getByText('10%').waitFor()
  await rule.getByText('critical').waitFor()
  await page.getByRole('button', { name: 'Send a test to team' }).click()
  await page.getByText('accepted, 200').waitFor()
  await page.getByRole('button', { name: 'Send a test to broken' }).click()
  await page
    .getByRole('row', { name: /^broken/ })
    .getByText(/503/)
    .waitFor()
  await page
    .getByRole('row', { name: /^broken/ })
    .getByText('error_rate')
    .waitFor()
})
