import assert from 'node:assert/strict'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { consoleTest, endShared } from './checked-page.ts'
import { HOSTILE } from './seed.ts'

endShared()

async function chat(url: string, session_id: string, agent: string): Promise<number> {
  const response = await fetch(`${url}/v3/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', 'user-agent': agent },
    body: JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello!' }], session_id }),
  })
  await response.arrayBuffer()
  return response.status
}

consoleTest(
  'a session is shown with its requests, and a limit is reset for it',
  async ({ page, base, gateway, owner }) => {
    const limit = { id: 'console-session', applies_to: 'all', per: 'session', unit: 'requests', limit: 2 }
    assert.equal((await owner('POST', '/admin/rate-limits', { ...limit, window: 'idle:30m' })).status, 201)
    const statuses: number[] = []
    for (let call = 0; call < 3; call++) statuses.push(await chat(gateway.url, 'console-1', 'claude-cli/2.1'))
    assert.deepEqual(statuses, [200, 200, 429])
    await page.goto(`${base}/agent-sessions?client=claude-code`)
    await page.getByRole('cell', { name: 'console-1' }).waitFor()
    await page.getByRole('row').nth(1).getByRole('link').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('heading', { name: 'Requests' }).waitFor()
    assert.equal(await dialog.getByRole('table').getByRole('row').count(), 4)
    await dialog.getByText('2 used, 0 left').waitFor()
    await dialog.getByRole('button', { name: 'Reset for this session' }).click()
    await dialog.getByRole('button', { name: 'Reset to zero' }).click()
    await dialog.getByText('0 used, 2 left').waitFor()
    assert.equal(await chat(gateway.url, 'console-1', 'claude-cli/2.1'), 200)
    await dialog.getByRole('table').getByRole('link').first().click()
    await page.waitForURL(/\/requests\?.*call=/)
    await page.getByRole('dialog').getByRole('link', { name: 'console-1' }).click()
    await page.waitForURL(/\/agent-sessions\?.*session=console-1/)
    await owner('DELETE', '/admin/rate-limits/console-session')
  },
)

consoleTest('names of sessions are texts', async ({ page, base, gateway }) => {
  await chat(gateway.url, HOSTILE, 'aider/0.86')
  await page.goto(`${base}/agent-sessions?client=aider`)
  await page.getByRole('row').nth(1).getByRole('link').click()
  await page.getByRole('dialog').getByText(HOSTILE).first().waitFor()
  assert.equal(await page.locator('img').count(), 0)
})

consoleTest('a limit for each session is made in the form of budgets', async ({ page, base, owner }) => {
  await page.goto(`${base}/budgets`)
  await page.getByRole('button', { name: 'New budget' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('spinbutton', { name: 'Limit, USD' }).fill('5')
  await dialog.getByRole('combobox', { name: 'Counted for' }).selectOption('session')
  await dialog.getByRole('combobox', { name: 'Session restarts after' }).selectOption('idle:2h')
  await dialog.getByRole('button', { name: 'Create budget' }).click()
  await page.getByText('per session, idle 2h').first().waitFor()
  const { body } = await owner('GET', '/admin/budgets')
  const made = body.items.find((one: { per?: string }) => one.per === 'session')
  assert.deepEqual([made.window, made.limit, made.max_sessions], ['idle:2h', 5, 100])
  await owner('DELETE', `/admin/budgets/${made.id}`)
})
