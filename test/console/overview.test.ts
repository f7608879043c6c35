import assert from 'node:assert/strict'
import { invited, PASSWORD } from '../gateway/people-under-test.ts'
import { type ConsolePage, consoleTest, endShared } from './checked-page.ts'

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
  await tiles.getByText(`${body.total.failed_requests} requests`).waitFor()
})

consoleTest('a number of the overview leads to its list', async ({ page, base }) => {
  await page.goto(`${base}/?last=7d`)
  await page.getByRole('link', { name: /^Failed ?\d/ }).click()
  await page.waitForURL(/\/requests\?last=7d&failed=true/)
  await page.getByRole('table').waitFor()
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Requests')
})

consoleTest('first steps open their dialogs, and stay away once they are dismissed', async ({ page, base }) => {
  await page.goto(`${base}/?last=7d`)
  const steps = page.getByRole('region', { name: 'First steps' })
  await steps.getByText(/^\d of 6 done$/).waitFor()
  await steps.getByText('Set a budget (done)').waitFor()
  await steps.getByRole('link', { name: 'Set up a provider' }).click()
  await page.getByRole('dialog', { name: 'Set up a provider' }).waitFor()
  for (const [address, title] of DIALOGS) {
    await page.goto(base + address)
    await page.getByRole('dialog', { name: title }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await page.goto(`${base}/?last=7d`)
  await steps.getByRole('button', { name: 'Dismiss first steps' }).click()
  await steps.waitFor({ state: 'detached' })
  await page.reload()
  const show = page.getByRole('button', { name: /^Show first steps/ })
  await show.click()
  await steps.waitFor()
})

const DIALOGS = [
  ['/keys?new=key', 'New key'],
  ['/budgets?new=budget', 'New budget'],
  ['/projects?view=people&new=invitation', 'Invite a person'],
] as const

consoleTest(
  'a member makes a key, calls with it, and sees the call arrive',
  async ({ page, base, owner, gateway }) => {
    const email = 'newcomer@example.com'
    await invited(owner, gateway, { email, role: 'member', project: 'support' })
    await page.request.post(`${base}/admin/sessions`, { data: { email, password: PASSWORD } })
    await page.goto(base)
    const steps = page.getByRole('region', { name: 'First steps' })
    await steps.getByText('0 of 2 done').waitFor()
    assert.equal(await steps.getByRole('link').count(), 2)
    await steps.getByRole('link', { name: 'Create an API key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('mine')
    await dialog.getByRole('combobox', { name: 'Project' }).selectOption('support team')
    await dialog.getByRole('button', { name: /^Create/ }).click()
    const secret = (
      await dialog
        .getByText(/^gate_live_/)
        .first()
        .innerText()
    ).trim()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Overview' }).click()
    await steps.getByText('1 of 2 done').waitFor()
    await steps.getByRole('link', { name: 'Make your first call' }).click()
    await dialog.getByText(secret).waitFor()
    await dialog.getByText('Waiting for your first request').waitFor()
    await call(gateway, secret)
    await dialog.getByText('Received:').waitFor()
    await dialog.getByRole('link', { name: 'View request' }).click()
    await page.waitForURL(/\/requests\?call=/)
    // The secret is in the memory of the page only, and all steps are done.
    await page.goto(`${base}/?new=call`)
    await dialog.getByText('$GATEHOUSE_API_KEY').waitFor()
    assert.ok(!(await page.content()).includes(secret))
    assert.ok(!((await page.evaluate('JSON.stringify([localStorage, sessionStorage])')) as string).includes(secret))
    assert.equal(await steps.count(), 0)
  },
  { signedIn: false },
)

type Gateway = ConsolePage['gateway']

async function call({ url }: Gateway, key: string): Promise<void> {
  const body = JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hello!' }] })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  assert.equal((await fetch(`${url}/v3/chat/completions`, { method: 'POST', headers, body })).status, 200)
}

consoleTest('the overview says what has failed, and leads there', async ({ page, base }) => {
  await page.goto(`${base}/?last=7d`)
  await page.getByRole('link', { name: 'Failed jobs' }).click()
  await page.waitForURL(/\/jobs\?last=7d&status=fail/)
  await page.getByRole('heading', { name: 'Jobs', level: 1 }).waitFor()
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
