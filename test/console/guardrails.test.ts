import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import { consoleTest, endShared } from './checked-page.ts'
import { addFilter } from './filters.ts'
import { HOSTILE } from './seed.ts'

endShared()

consoleTest('a guardrail is tried, created, edited and deleted', async ({ page, base, owner }) => {
  await page.goto(`${base}/guardrails`)
  await page.getByText('No guardrails yet').waitFor()
  await page.getByRole('button', { name: 'New guardrail' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Private data')
  await dialog.getByRole('combobox', { name: 'Check', exact: true }).selectOption({ label: 'Personal data' })
  await dialog.getByRole('button', { name: 'Add check' }).click()
  const check = dialog.getByRole('group', { name: 'Personal data' })
  await check.getByText('More parameters').click()
  await check.getByLabel('Kinds').fill('email\nphone')
  await dialog.getByLabel('If something is found').selectOption('redact')
  await dialog.getByLabel('Text to try').fill(`Write to zoe@example.com. ${HOSTILE}`)
  await dialog.getByRole('button', { name: 'Try', exact: true }).click()
  await dialog.getByText('Personal data: email').waitFor()
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
  await dialog.getByLabel(/^Output/).uncheck()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Private data saved.').waitFor()
  const saved = (await owner('GET', `/admin/guardrails/${created.id}`)).body
  assert.deepEqual([saved.mode, saved.phases, saved.checks], ['enforce', ['input'], created.checks])

  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete guardrail' }).click()
  await page.getByText('No guardrails yet').waitFor()
  assert.deepEqual((await owner('GET', '/admin/guardrails')).body.items, [])
})

consoleTest('every member of a guardrail is set in the form, with the keyboard only', async ({ page, base, owner }) => {
  await page.goto(`${base}/guardrails?new=guardrail`)
  const dialog = page.getByRole('dialog')
  const typed = async (label: string, text: string) => {
    await dialog.getByLabel(label).and(page.locator('input, textarea')).focus()
    await page.keyboard.type(text)
  }
  const pressed = async (field: Locator, key: string) => {
    await field.focus()
    await page.keyboard.press(key)
  }
  await typed('Name', 'Birds')
  await dialog.getByRole('combobox', { name: 'Check', exact: true }).focus()
  await page.keyboard.type('Secrets')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await dialog.getByRole('group', { name: 'Secrets' }).waitFor()
  await pressed(dialog.getByText('Only some models'), 'Enter')
  await typed('Models, one per line', 'openai/*\nfake/one')
  await pressed(dialog.getByLabel('Tools for agents'), 'Space')
  await typed('Sample (fraction of calls', '0.5')
  await pressed(dialog.getByText('More options'), 'Enter')
  await typed('Timeout of services and models', '900')
  await typed('Message', 'No birds.')
  await typed('ID (generated if empty)', 'birds')
  await pressed(dialog.getByRole('button', { name: 'Create guardrail' }), 'Enter')
  await page.getByText('Birds created.').waitFor()
  const {
    created_at: _,
    updated_at: __,
    owned_by: ___,
    set_by: ____,
    ...created
  } = (await owner('GET', '/admin/guardrails/birds')).body
  assert.deepEqual(created, {
    id: 'birds',
    name: 'Birds',
    applies_to: 'all',
    checks: [{ check: 'secrets' }],
    action: 'flag',
    mode: 'shadow',
    models: ['openai/*', 'fake/one'],
    endpoints: ['mcp'],
    phases: ['input', 'output'],
    sample: 0.5,
    timeout_ms: 900,
    on_error: 'open',
    respond: 'error',
    message: 'No birds.',
  })

  await page.getByRole('link', { name: 'Birds' }).click()
  await page.getByText('openai/*, fake/one').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByLabel('Models, one per line').fill('')
  await dialog.getByLabel('If something is found').selectOption('block')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Birds saved.').waitFor()
  const { models, endpoints, sample, on_error: onError } = (await owner('GET', '/admin/guardrails/birds')).body
  assert.deepEqual([models ?? null, endpoints, sample], [null, ['mcp'], 0.5])
  // What a failing check means was left to the action.
  assert.equal(onError, 'closed')
  assert.equal((await owner('DELETE', '/admin/guardrails/birds')).status, 204)
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
  await dialog.getByRole('group', { name: 'Custom judge (model)' }).getByLabel('Instructions').waitFor()
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
  await page.getByText('Words and patterns: word 0').waitFor()
  await page.getByRole('link', { name: 'View requests with findings' }).click()
  await page.getByText('1 request', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Guardrail: Birds' }).waitFor()
  await page.goto(`${base}/requests?last=30d`)
  await addFilter(page, 'Guardrail', 'Birds: would block')
  await page.waitForURL(/guardrail=.*would_block/)
  await page.getByText('1 request', { exact: true }).waitFor()
  assert.equal((await owner('DELETE', `/admin/guardrails/${id}`)).status, 204)
})

consoleTest(
  'a shadow guardrail is tried on kept requests, and leads to them',
  async ({ page, base, owner, gateway }) => {
    const { body: project } = await owner('POST', '/admin/projects', { name: 'Aviary' })
    await owner('PATCH', `/admin/projects/${project.id}`, { content: { mode: 'full' } })
    const path = `/admin/playground/chat/completions?kind=sandbox&project=${project.id}`
    for (const content of ['A sparrow.', 'A falcon.']) {
      const messages = [{ role: 'user', content }]
      assert.equal((await owner('POST', path, { model: 'sandbox/echo', messages })).status, 200)
      await gateway.gateway.services.calls.contents.written()
    }
    const checks = [{ check: 'patterns', words: ['falcon'] }]
    const body = { name: 'Birds', applies_to: `project:${project.id}`, checks, action: 'block', mode: 'shadow' }
    const { id } = (await owner('POST', '/admin/guardrails', body)).body
    await page.goto(`${base}/guardrails?guardrail=${id}`)
    await page.getByRole('button', { name: 'Try on kept requests' }).press('Enter')
    const kept = page.getByRole('region', { name: 'Kept requests' })
    await kept.getByRole('button', { name: 'Replay', exact: true }).press('Enter')
    await kept.getByText('Of 2 requests, 1 would pass untouched, 1 would be refused.').waitFor()
    await kept.getByText('Words and patterns: word 0').waitFor()
    await kept.getByRole('table').getByRole('link').click()
    await page.waitForURL(/\/requests\?call=/)
    await page.getByRole('dialog').getByText('sandbox/echo').first().waitFor()

    await page.goto(`${base}/guardrails?guardrail=${id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Words' }).fill('sparrow\nfalcon')
    await dialog.getByText('Try it on kept requests').press('Enter')
    await dialog.getByRole('button', { name: 'Replay', exact: true }).click()
    await dialog.getByText('Of 2 requests, 0 would pass untouched, 2 would be refused.').waitFor()
    assert.equal((await owner('DELETE', `/admin/guardrails/${id}`)).status, 204)
  },
)
