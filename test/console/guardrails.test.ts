import assert from 'node:assert/strict'
import { consoleTest, endShared } from './checked-page.ts'
import { HOSTILE } from './seed.ts'

endShared()

consoleTest('a guardrail is tried, created, edited and deleted', async ({ page, base, owner }) => {
  await page.goto(`${base}/guardrails`)
  await page.getByText('No guardrails yet').waitFor()
  await page.getByRole('button', { name: 'New guardrail' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Private data')
  await dialog.getByLabel('Add a check').selectOption({ label: 'Personal data' })
  await dialog.getByLabel('If something is found').selectOption('redact')
  await dialog.getByLabel('Text to try').fill(`Write to zoe@example.com. ${HOSTILE}`)
  await dialog.getByRole('button', { name: 'Try', exact: true }).click()
  await dialog.getByText('personal_data: email').waitFor()
  await dialog.getByText(`Write to [EMAIL_1]. ${HOSTILE}`).waitFor()
  await dialog.getByRole('button', { name: 'Create guardrail' }).click()
  await page.getByText('Private data created.').waitFor()
  const [created] = (await owner('GET', '/admin/guardrails')).body.items
  assert.deepEqual([created.action, created.mode, created.checks], ['redact', 'shadow', [{ check: 'personal_data' }]])

  await page.getByRole('link', { name: 'Private data' }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('combobox', { name: 'Mode' }).selectOption('enforce')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Private data saved.').waitFor()
  assert.equal((await owner('GET', `/admin/guardrails/${created.id}`)).body.mode, 'enforce')

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete guardrail' }).click()
  await page.getByText('No guardrails yet').waitFor()
  assert.deepEqual((await owner('GET', '/admin/guardrails')).body.items, [])
})

consoleTest('what is wrong with the checks is said in the form', async ({ page, base, expect }) => {
  expect(/status of 422/)
  await page.goto(`${base}/guardrails?new=guardrail`)
  const dialog = page.getByRole('dialog')
  const checks = dialog.getByLabel('Checks and their parameters')
  await checks.fill('not a list')
  await dialog.getByRole('button', { name: 'Create guardrail' }).click()
  await dialog.getByText('The checks have to be a list in JSON', { exact: false }).waitFor()
  await checks.fill('[{ "check": "judge" }]')
  await dialog.getByRole('button', { name: 'Create guardrail' }).click()
  await dialog.getByRole('alert').getByText('Field required', { exact: false }).waitFor()
})
