import assert from 'node:assert/strict'
import { consoleTest, endShared } from './checked-page.ts'
import { addFilter } from './filters.ts'
import { HOSTILE } from './seed.ts'

endShared()

consoleTest('a key is created with a preview of what it may use, and works with what was pasted', async (console) => {
  const { page, base, gateway } = console
  await page.goto(`${base}/keys`)
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('a key of the test')
  await page.getByRole('combobox', { name: 'Project' }).selectOption('search team')
  await page.getByLabel('Chat').check()
  await page.getByLabel(/^Models/).fill('sandbox/*')
  const preview = page.getByRole('region', { name: 'What this key can use' })
  await preview.getByText('sandbox/echo', { exact: false }).waitFor()
  await preview.getByText('Chat.', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByText('it is shown only once').waitFor()
  const secret = await page.getByRole('dialog').locator('pre').first().innerText()
  const call = async (model: string) => {
    const headers = { authorization: `Bearer ${secret.trim()}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] })
    return (await fetch(`${gateway.url}/v3/chat/completions`, { method: 'POST', headers, body })).status
  }
  assert.deepEqual([await call('sandbox/echo'), await call('openai/gpt-4o-mini')], [200, 403])
  await page.getByText('ANTHROPIC_BASE_URL').waitFor()
})

consoleTest('a new key can have a budget from the beginning', async ({ page, base, owner }) => {
  await page.goto(`${base}/keys`)
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('a key with a budget')
  await page.getByRole('spinbutton', { name: /^Budget, USD/ }).fill('12.5')
  await page.getByRole('combobox', { name: 'Budget period' }).selectOption('Week')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByText('it is shown only once').waitFor()
  const { body: keys } = await owner('GET', '/admin/keys?name=a%20key%20with%20a%20budget')
  const { body } = await owner('GET', `/admin/keys/${keys.items[0].id}/access`)
  const own = body.limits.find((limit: { applies_to: string }) => limit.applies_to === `key:${keys.items[0].id}`)
  assert.deepEqual([own.name, own.limit, own.window], ['a key with a budget', 12.5, 'week'])
})

consoleTest('a key shows its limits with their origin, is rotated and revoked', async ({ page, base, owner }) => {
  const { body } = await owner('POST', '/admin/keys', { name: 'to be revoked', project: 'search' })
  await page.goto(`${base}/keys?key=${body.id}`)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('For the project search team').waitFor()
  await dialog.getByRole('button', { name: 'Rotate secret' }).click()
  await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.getByText('Old secret until').waitFor()
  await dialog.getByRole('button', { name: 'Revoke', exact: true }).click()
  await dialog.getByRole('button', { name: 'Revoke key' }).click()
  await dialog.getByText('revoked', { exact: true }).waitFor()
  const { body: after } = await owner('GET', `/admin/keys/${body.id}`)
  assert.ok(after.revoked_at && after.former_valid_until)
})

consoleTest('the next requests of a key are recorded, with an end', async ({ page, base, owner }) => {
  const { body } = await owner('POST', '/admin/keys', { name: 'to be recorded', project: 'search' })
  await page.goto(`${base}/keys?key=${body.id}`)
  await page.getByRole('dialog').getByRole('button', { name: 'Record requests' }).click()
  const form = page.getByRole('dialog').getByRole('region', { name: 'Record requests' })
  assert.equal(await form.getByRole('spinbutton', { name: 'Requests' }).inputValue(), '20')
  await form.getByRole('combobox', { name: 'For up to' }).selectOption('Ten minutes')
  await form.getByRole('combobox', { name: 'Content' }).selectOption('In full')
  await form.getByRole('button', { name: 'Record' }).click()
  await page.getByRole('dialog').getByText('the next 20 requests until', { exact: false }).waitFor()
  const { recording } = (await owner('GET', `/admin/keys/${body.id}`)).body
  assert.deepEqual([recording.requests_left, recording.mode], [20, 'full'])
  assert.ok(Date.parse(recording.expires_at) <= Date.now() + 600_000)
})

consoleTest(
  'keys are filtered in the address, and all of a filter are revoked after their count was confirmed',
  async (console) => {
    const { page, base, owner } = console
    for (const at of [1, 2, 3]) await owner('POST', '/admin/keys', { name: `of a batch ${at}`, project: 'support' })
    await page.goto(`${base}/keys`)
    await addFilter(page, 'Name', 'a batch')
    await page.waitForURL(/name=a(\+|%20)batch/)
    await page.getByText('3 keys', { exact: true }).waitFor()
    await addFilter(page, 'State', 'Active')
    await page.waitForURL(/state=active/)
    await page.getByRole('button', { name: 'Revoke all…' }).click()
    await page.getByRole('button', { name: 'Revoke 3 keys' }).click()
    await page.getByText('No keys to revoke.').waitFor()
    const { body } = await owner('GET', '/admin/keys?name=a%20batch&state=revoked')
    assert.equal(body.items.length, 3)
  },
)

consoleTest('names of keys are texts, and a refusal of the gateway is shown', async ({ page, base, expect }) => {
  expect(/status of 422/)
  await page.goto(`${base}/keys`)
  await page.getByRole('link', { name: HOSTILE }).waitFor()
  assert.equal(await page.locator('img').count(), 0)
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('refused')
  await page.getByRole('textbox', { name: 'Networks (all if empty)' }).fill('not-a-network')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('alert').getByText('is not a network').waitFor()
})
