import assert from 'node:assert/strict'
import { consoleTest, endShared } from './checked-page.ts'
import { addFilter } from './filters.ts'
import { HOSTILE } from './seed.ts'

endShared()

consoleTest('a guardrail is tried, created, edited and deleted', async ({ page, base, owner }) => {
  await page.goto(`${base}/guardrails`)
  await page.getByText('No guardrails yet').waitFor()
  await page.getByRole('button', { name: 'New guardrail' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Private data')
  await dialog.getByLabel('Add a check').selectOption({ label: 'Personal data' })
  const check = dialog.getByRole('group', { name: 'Personal data' })
  await check.getByText('More parameters').click()
  await check.getByLabel('Kinds').fill('email\nphone')
  await dialog.getByLabel('If something is found').selectOption('redact')
  await dialog.getByLabel('Text to try').fill(`Write to zoe@example.com. ${HOSTILE}`)
  await dialog.getByRole('button', { name: 'Try', exact: true }).click()
  await dialog.getByText('personal_data: email').waitFor()
  await dialog.getByText(`Write to [EMAIL_1]. ${HOSTILE}`).waitFor()
  await dialog.getByRole('button', { name: 'Create guardrail' }).click()
  await page.getByText('Private data created.').waitFor()
  const [created] = (await owner('GET', '/admin/guardrails')).body.items
  assert.deepEqual(
    [created.action, created.mode, created.checks],
    [...['redact', 'shadow'], [{ check: 'personal_data', kinds: ['email', 'phone'] }]],
  )

  await page.getByRole('link', { name: 'Private data' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('combobox', { name: 'Mode' }).selectOption('enforce')
  assert.equal(await check.getByLabel('Kinds').inputValue(), 'email\nphone')
  await dialog.getByText('More options').click()
  await dialog.getByLabel('What comes back').uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Private data saved.').waitFor()
  const saved = (await owner('GET', `/admin/guardrails/${created.id}`)).body
  assert.deepEqual([saved.mode, saved.phases, saved.checks], ['enforce', ['input'], created.checks])

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete guardrail' }).click()
  await page.getByText('No guardrails yet').waitFor()
  assert.deepEqual((await owner('GET', '/admin/guardrails')).body.items, [])
})

consoleTest('what is wrong with the checks is said in the form', async ({ page, base, expect }) => {
  expect(/status of 422/)
  await page.goto(`${base}/guardrails?new=guardrail`)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Edit as JSON' }).click()
  const checks = dialog.getByLabel('Checks and their parameters')
  await checks.fill('not a list')
  await dialog.getByRole('button', { name: 'Create guardrail' }).click()
  await dialog.getByText('The checks have to be a list in JSON', { exact: false }).waitFor()
  await checks.fill('[{ "check": "judge" }]')
  await dialog.getByRole('button', { name: 'Create guardrail' }).click()
  await dialog.getByRole('alert').getByText('Field required', { exact: false }).waitFor()
  await dialog.getByRole('button', { name: 'Edit as a form' }).click()
  await dialog.getByRole('group', { name: 'A judge with rules of your own' }).getByLabel('Instructions').waitFor()
})

consoleTest('a guardrail shows what it did, and leads to the requests', async ({ page, base, owner }) => {
  const checks = [{ check: 'patterns', words: ['falcon'] }]
  const body = { name: 'Birds', applies_to: 'all', checks, action: 'block', mode: 'shadow' }
  const { id } = (await owner('POST', '/admin/guardrails', body)).body
  const messages = [{ role: 'user', content: 'A falcon.' }]
  const path = '/admin/playground/chat/completions?kind=sandbox&project=default'
  assert.equal((await owner('POST', path, { model: 'sandbox/echo', messages })).status, 200)
  await page.goto(`${base}/guardrails?guardrail=${id}`)
  const days = page.getByRole('region', { name: 'Calls by day' })
  await days.getByRole('columnheader', { name: 'Would block' }).waitFor()
  await page.getByText('patterns: word 0').waitFor()
  await page.getByRole('link', { name: 'Requests in which it did something' }).click()
  await page.getByText('1 request', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Guardrail: Birds' }).waitFor()
  await page.goto(`${base}/requests?last=30d`)
  await addFilter(page, 'Guardrail', 'Birds: would block')
  await page.waitForURL(/guardrail=.*would_block/)
  await page.getByText('1 request', { exact: true }).waitFor()
  assert.equal((await owner('DELETE', `/admin/guardrails/${id}`)).status, 204)
})
