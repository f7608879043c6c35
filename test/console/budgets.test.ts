import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyAt } from '../../console/parts/limit-pace.ts'
import { consoleTest, endShared } from './checked-page.ts'
import { HOSTILE } from './seed.ts'
import { DAY_MS } from '../../src/base/units/units.ts'

endShared()

consoleTest('a budget is tried on the past, named, set, raised for a while, changed and deleted', async (console) => {
  const { page, base, owner } = console
  await page.goto(`${base}/budgets`)
  await page.getByRole('button', { name: 'New budget' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Support of the test')
  await dialog.getByRole('combobox', { name: 'Applies to', exact: true }).selectOption('A project')
  await dialog.getByRole('combobox', { name: 'A project' }).selectOption('support team')
  await dialog.getByRole('spinbutton', { name: 'Limit, USD' }).fill('0.01')
  await dialog.getByText('More options').click()
  await dialog.getByRole('textbox', { name: /^ID/ }).fill('support-of-the-test')
  await dialog.getByRole('button', { name: 'Preview impact' }).click()
  const hit = dialog.getByRole('region', { name: 'Affected', exact: true })
  await hit.getByRole('cell', { name: 'support production' }).waitFor()
  await dialog.getByRole('button', { name: 'Create budget' }).click()
  await page.getByRole('link', { name: 'Support of the test' }).click()
  await dialog.getByText('project support team').waitFor()
  await dialog.getByRole('button', { name: 'Temporary increase' }).click()
  await dialog.getByRole('spinbutton', { name: 'Amount, USD' }).fill('5')
  await dialog.getByRole('button', { name: 'Increase', exact: true }).click()
  await dialog.getByRole('button', { name: 'End now' }).waitFor()
  await dialog.getByText('$5.01 per month').waitFor()
  const { body: raised } = await owner('GET', '/admin/budgets/support-of-the-test')
  assert.deepEqual([raised.applies_to, raised.increase.amount, raised.alerts], ['project:support', 5, [0.8, 1]])
  assert.equal(raised.name, 'Support of the test')
  await dialog.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('spinbutton', { name: 'Limit, USD' }).fill('7')
  await dialog.getByText('More options').click()
  await dialog.getByRole('textbox', { name: 'Alert at, percent' }).fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('$12.00 per month').waitFor()
  const { body: changed } = await owner('GET', '/admin/budgets/support-of-the-test')
  assert.deepEqual([changed.limit, changed.increase.amount, changed.alerts ?? null], [7, 5, null])
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByRole('button', { name: 'Delete budget' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.equal((await owner('GET', '/admin/budgets/support-of-the-test')).status, 404)
})

consoleTest(
  'a rate limit counts concurrent requests, and the name of its key is a text',
  async ({ page, base, owner }) => {
    await page.goto(`${base}/budgets`)
    await page.getByRole('button', { name: 'New rate limit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Counts' }).selectOption('Concurrent requests')
    assert.equal(await dialog.getByRole('combobox', { name: 'Period' }).count(), 0)
    await dialog.getByRole('spinbutton', { name: 'Limit' }).fill('40')
    await dialog.getByRole('combobox', { name: 'Applies to', exact: true }).selectOption('A key')
    await dialog.getByRole('combobox', { name: 'A key' }).selectOption(HOSTILE)
    await dialog.getByText('More options').click()
    await dialog.getByRole('textbox', { name: /^ID/ }).fill('forty-at-once')
    await dialog.getByRole('button', { name: 'Create rate limit' }).click()
    await page.getByRole('link', { name: 'forty-at-once' }).click()
    await dialog.getByText(`key ${HOSTILE}`).waitFor()
    await dialog.getByText('40 concurrent requests').waitFor()
    assert.equal(await page.locator('img').count(), 0)
    assert.equal((await owner('DELETE', '/admin/rate-limits/forty-at-once')).status, 204)
  },
)

consoleTest(
  'what the config file says is not offered for change, and the page makes five requests',
  async (console) => {
    const { page, base } = console
    const asked: string[] = []
    page.on('request', (request) => request.url().includes('/admin/') && asked.push(request.url()))
    await page.goto(`${base}/budgets`)
    await page.getByRole('link', { name: 'from-the-file' }).waitFor()
    await page.getByRole('link', { name: 'research-month' }).waitFor()
    assert.ok(asked.filter((url) => !url.endsWith('/admin/me')).length <= 5, asked.join('\n'))
    await page.getByRole('link', { name: 'from-the-file' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('is set in the config file').waitFor()
    assert.equal(await dialog.getByRole('button', { name: 'Edit' }).count(), 0)
    assert.equal(await dialog.getByRole('button', { name: 'Delete' }).count(), 0)
  },
)

test('the pace of a limit is that of its open window', () => {
  const now = Date.parse('2026-11-11T00:00:00Z')
  const month = { unit: 'usd', window: 'month', resets_at: '2026-12-01T00:00:00.000Z', created_at: null } as const
  assert.equal(emptyAt({ ...month, spent: 10, left: 5 }, now), now + 5 * DAY_MS)
  assert.equal(emptyAt({ ...month, spent: 0, left: 5 }, now), Number.POSITIVE_INFINITY)
  const paris = { ...month, resets_at: '2026-11-30T23:00:00.000Z' }
  assert.equal(emptyAt({ ...paris, spent: 241, left: 24 }, now), now + DAY_MS)
  const young = { ...month, created_at: '2026-11-10T00:00:00.000Z' }
  assert.equal(emptyAt({ ...young, spent: 10, left: 20 }, now), now + 2 * DAY_MS)
  const total = { unit: 'usd', window: 'total', resets_at: null } as const
  assert.equal(emptyAt({ ...total, created_at: '2026-11-10T00:00:00.000Z', spent: 1, left: 1 }, now), now + DAY_MS)
  assert.equal(emptyAt({ ...total, created_at: null, spent: 1, left: 1 }, now), undefined)
  assert.equal(emptyAt({ ...month, spent: 10, left: null }, now), undefined)
  assert.equal(emptyAt({ ...total, unit: 'concurrent', created_at: null, spent: 1, left: 1 }, now), undefined)
})
