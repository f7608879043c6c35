import assert from 'node:assert/strict'
import { insertUsage } from '../../src/platform/store/ledger/usage.ts'
import { API_KEY } from '../gateway/gateway-under-test.ts'
import { ledgerLine } from '../fakes/ledger-line.ts'
import { consoleTest, endShared } from './checked-page.ts'
import { addFilter, wholeList } from './filters.ts'
import { HOSTILE } from './seed.ts'
import { DAY_MS } from '../../src/base/units/units.ts'

endShared()

consoleTest('the list shows the newest calls, and more of them page by page', async ({ page, base }) => {
  await page.goto(`${base}/requests?last=30d`)
  await page.getByText('50 requests shown. There are more.').waitFor()
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByText('100 requests shown. There are more.').waitFor()
  // What is looked at afterwards need not have two hundred rows.
  await page.goto(`${base}/requests?last=24h`)
  await wholeList(page)
})

consoleTest('filters are in the address, and come back with it', async ({ page, base, owner }) => {
  await page.goto(`${base}/requests?last=30d`)
  await addFilter(page, 'Outcome', 'Failed')
  await page.waitForURL(/failed=true/)
  await addFilter(page, 'Provider', 'openai')
  await page.waitForURL(/provider=openai/)
  const from = new Date(Date.now() - 30 * DAY_MS).toISOString()
  const { body } = await owner('GET', `/admin/requests?failed=true&provider=openai&from=${from}`)
  await page.getByText(`${body.items.length} requests`).waitFor()
  await page.reload()
  await page.getByText(`${body.items.length} requests`).waitFor()
  assert.equal(await page.getByRole('row').count(), body.items.length + 1)
  await page.getByRole('button', { name: 'Clear all' }).click()
  await page.getByText('50 requests shown').waitFor()
})

consoleTest('texts of callers and providers are texts, in the list and in the detail', async ({ page, base }) => {
  await page.goto(`${base}/requests?call=req_hostile`)
  await page.getByRole('dialog').getByText(`no capacity ${HOSTILE}`).waitFor()
  await page.getByRole('heading', { name: 'Changed fields' }).waitFor()
  assert.equal(await page.locator('img').count(), 0)
  assert.match(await page.title(), /Requests/)
  await page.keyboard.press('Escape')
  await page.waitForURL(`${base}/requests`)
  await page.getByRole('cell', { name: `fast ${HOSTILE}` }).waitFor()
})

consoleTest('a call opens from the keyboard, with what it cost and what was tried', async ({ page, base }) => {
  await page.goto(`${base}/requests?last=30d&failed=false`)
  await page.getByRole('row').nth(1).getByRole('link').focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('heading', { name: 'Attempts' }).waitFor()
  await dialog.getByRole('row', { name: /^total/ }).waitFor()
  assert.match(await dialog.getByText('curl').innerText(), /\/v3\/chat\/completions/)
})

consoleTest('every column can be seen, however long the names are', async ({ page, base, gateway }) => {
  const name = 'a-name-that-goes-on-and-on-and-on-and-on-and-on'
  const names = { keyId: name, project: name, model: name, requestedModel: `asked-for-${name}` }
  const failed = { status: 429, code: 'rate_limit_exceeded', promptTokens: 123_456, completionTokens: 123_456 }
  const line = ledgerLine({ ...names, ...failed, id: 'req_long', at: Date.now(), cost: 12.34567, durationMs: 61_234 })
  await insertUsage(gateway.gateway.services.calls.db, [line])
  await page.goto(`${base}/requests?id=req_long`)
  await page.getByRole('cell', { name, exact: true }).first().waitFor()
  const [inner, outer] = await page
    .getByRole('region', { name: 'Requests' })
    .evaluate((box) => [box.scrollWidth, box.clientWidth])
  assert.ok(inner! <= outer!, `the table is ${inner} pixels wide and has ${outer}`)
  assert.equal(await page.getByTitle(name, { exact: true }).count(), 2, 'key and project have their whole text')
})

consoleTest('chosen columns stay chosen', async ({ page, base }) => {
  await page.goto(`${base}/requests`)
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('checkbox', { name: 'Tags' }).check()
  await page.getByRole('checkbox', { name: 'Project' }).uncheck()
  await page.reload()
  await page.getByRole('columnheader', { name: 'Tags' }).waitFor()
  assert.equal(await page.getByRole('columnheader', { name: 'Project' }).count(), 0)
})

consoleTest('new calls appear on the open page, if they pass the filter', async ({ page, base, gateway }) => {
  await page.goto(`${base}/requests?requested_model=sandbox/echo&last=1h`)
  await page.getByRole('button', { name: 'Live tail' }).click()
  await page.getByRole('button', { name: 'Live', exact: true }).waitFor()
  const call = async (model: string, id: string) => {
    const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json', 'x-request-id': id }
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] })
    await fetch(`${gateway.url}/v3/chat/completions`, { method: 'POST', headers, body })
  }
  await call('sandbox/tools', 'not-wanted')
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const typed = page.getByRole('combobox', { name: 'Filter by' })
  await typed.fill('half a na')
  await call('sandbox/echo', 'wanted')
  await page.locator('a[href*="call=wanted"]').waitFor()
  assert.equal(await page.locator('a[href*="call=not-wanted"]').count(), 0)
  assert.equal(await typed.inputValue(), 'half a na', 'a new row took away what was being typed')
})

consoleTest(
  'times are in the time zone of the browser, in the list and in the detail',
  async ({ page, base, gateway }) => {
    // Yesterday for the gateway, today for a reader in Kathmandu, who is 5:45 hours ahead.
    const at = new Date().setUTCHours(20, 30, 15, 0) - DAY_MS
    await insertUsage(gateway.gateway.services.calls.db, [
      ledgerLine({ id: 'req_in_kathmandu', at, project: 'search' }),
    ])
    const local = new Date(at + (5 * 60 + 45) * 60_000)
    const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(local)
    await page.goto(`${base}/requests?id=req_in_kathmandu&last=30d&call=req_in_kathmandu`)
    await page.getByRole('dialog').getByText(`${day}, 02:15:15`, { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: /02:15:15$/ }).waitFor()
    assert.equal(await page.getByText('20:30:15', { exact: false }).count(), 0)
  },
  { timezone: 'Asia/Kathmandu' },
)

consoleTest('the whole filter can be downloaded as CSV', async ({ page, base, owner }) => {
  await page.goto(`${base}/requests?last=30d&failed=true`)
  const waiting = page.waitForEvent('download')
  await page.getByRole('link', { name: /^CSV/ }).click()
  const text = await (await (await waiting).createReadStream()).toArray()
  const from = new Date(Date.now() - 30 * DAY_MS).toISOString()
  const { body } = await owner('GET', `/admin/requests?failed=true&limit=1000&from=${from}`)
  assert.equal(Buffer.concat(text).toString().trim().split('\n').length, body.items.length + 1)
})

consoleTest('a request that failed does not say that a model answered it', async ({ page, base }) => {
  await page.goto(`${base}/requests?call=req_hostile`)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Last tried').waitFor()
  assert.equal(await dialog.getByText('Answered by').count(), 0)
})

consoleTest('requests of the playground have the name of the person', async ({ page, base, owner, gateway }) => {
  const { body: me } = await owner('GET', '/admin/me')
  const line = ledgerLine({ id: 'req_of_playground', at: Date.now(), keyId: `console-${me.id}`, user: me.id })
  await insertUsage(gateway.gateway.services.calls.db, [line])
  await page.goto(`${base}/requests?id=req_of_playground`)
  await page.getByRole('cell', { name: `Playground (${me.account.name})` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('link', { name: me.account.name, exact: true }).waitFor()
  assert.equal(await dialog.getByText(me.id).count(), 0)
})

consoleTest('the live tail says that the gateway is away, and comes back', async ({ page, base, expect }) => {
  expect(/status of 503/)
  await page.route('**/admin/requests/live*', (route) => route.fulfill({ status: 503, json: {} }))
  await page.goto(`${base}/requests`)
  await page.getByRole('button', { name: 'Live tail' }).click()
  await page.getByRole('button', { name: 'Gateway unavailable, reconnecting…' }).waitFor()
  await page.unroute('**/admin/requests/live*')
  await page.getByRole('button', { name: 'Live', exact: true }).waitFor()
})

consoleTest('a live tail that is refused says why', async ({ page, base, expect }) => {
  expect(/status of 429/)
  const error = { error: { message: 'You have four live connections already.', code: 'too_many' } }
  await page.route('**/admin/requests/live*', (route) => route.fulfill({ status: 429, json: error }))
  await page.goto(`${base}/requests`)
  await page.getByRole('button', { name: 'Live tail' }).click()
  await page.getByText('You have four live connections already.').waitFor()
  await page.getByRole('button', { name: 'Live tail' }).waitFor()
})
