import assert from 'node:assert/strict'
import { consoleTest, endShared } from './checked-page.ts'

endShared()

consoleTest('the overview has the numbers of the gateway, in five requests', async ({ page, base, owner }) => {
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('/admin/') && asked.push(request.url()))
  await page.goto(`${base}/?last=30d`)
  const tiles = page.getByRole('list').filter({ hasText: 'Spend' }).first()
  await tiles.waitFor()
  await page.getByRole('img', { name: /^Cost by day: \$/ }).waitFor()
  await page.getByText('research-month').waitFor()
  await page.getByRole('heading', { name: 'Failing models' }).waitFor()
  assert.equal(asked.length, 5, asked.join('\n'))
  const from = new URL(asked.find((url) => url.includes('group_by=model'))!).searchParams.get('from')!
  const { body } = await owner('GET', `/admin/usage?group_by=day&from=${from}`)
  await tiles.getByText(`${body.total.failed_requests} calls`).waitFor()
})

consoleTest('a number of the overview leads to its list', async ({ page, base }) => {
  await page.goto(`${base}/?last=7d`)
  await page.getByRole('link', { name: /^Failed ?\d/ }).click()
  await page.waitForURL(/\/requests\?last=7d&failed=true/)
  await page.getByRole('table').waitFor()
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Requests')
})

consoleTest('the overview says what has failed and what is not set up yet, and leads there', async ({ page, base }) => {
  await page.goto(`${base}/?last=7d`)
  await page.getByRole('link', { name: 'Set up a provider' }).waitFor()
  await page.getByRole('link', { name: 'Failed jobs' }).click()
  await page.waitForURL(/\/jobs\?last=7d&status=fail/)
  await page.getByRole('heading', { name: 'Jobs' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'Failed webhooks' }).click()
  await page.waitForURL(/\/webhooks\?last=7d&state=failed/)
  await page.goBack()
  await page.getByRole('link', { name: 'research-month' }).click()
  await page.waitForURL(/\/budgets\?budget=research-month/)
  await page.getByRole('dialog').waitFor()
})

consoleTest('the chosen theme is there before the first paint', async ({ page, base }) => {
  await page.goto(`${base}/?last=7d`)
  await page.getByLabel('Theme').selectOption('Dark')
  await page.reload()
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')
  await page.getByLabel('Theme').selectOption('System')
})
