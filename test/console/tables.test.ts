import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { DAY_MS } from '../../src/base/units/units.ts'
import { invited } from '../gateway/people-under-test.ts'
import { consoleTest, endShared } from './checked-page.ts'
import { wholeList } from './filters.ts'

// What holds for every table: it is one component.

endShared()

const PHONE = { width: 390, height: 844 }

async function columnTexts(page: Page, title: string): Promise<string[]> {
  return await page.locator(`tbody td[data-label="${title}"]`).allInnerTexts()
}

consoleTest('a column sorts both ways and back, in the address, with what is unknown last', async (console) => {
  const { page, base } = console
  await page.goto(`${base}/requests?last=7d&project=search`)
  await wholeList(page)
  const asHandedOut = await columnTexts(page, 'Time')
  const head = page.getByRole('columnheader', { name: 'Cost' })
  await head.getByRole('button').focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/sort=-cost/)
  assert.equal(await head.getAttribute('aria-sort'), 'descending')
  const amounts = (await columnTexts(page, 'Cost')).map((text) => (text === '–' ? Number.NaN : numberIn(text)))
  const known = amounts.filter((one) => !Number.isNaN(one))
  assert.deepEqual(
    known,
    known.toSorted((one, other) => other - one),
  )
  assert.ok(Number.isNaN(amounts.at(-1)!), 'the call without a price is last')
  await page.keyboard.press('Enter')
  await page.waitForURL(/sort=cost/)
  await page.reload()
  await wholeList(page)
  assert.equal(await head.getAttribute('aria-sort'), 'ascending')
  assert.equal((await columnTexts(page, 'Cost')).at(-1), '–')
  await head.getByRole('button').click()
  await page.waitForURL((url) => !url.search.includes('sort'))
  assert.deepEqual(await columnTexts(page, 'Time'), asHandedOut)
})

function numberIn(text: string): number {
  return Number(text.replace(/[~$,<]/g, ''))
}

consoleTest('a sorted list has all of its pages, not only the first one', async ({ page, base, owner }) => {
  await page.goto(`${base}/requests?last=30d&sort=-duration`)
  const from = new Date(Date.now() - 30 * DAY_MS).toISOString()
  const { body } = await owner('GET', `/admin/requests?limit=1000&from=${from}`)
  const durations: number[] = body.items.map(({ duration_ms: ms }: { duration_ms: number }) => ms)
  assert.ok(durations.length > 100)
  await page.getByText(`${durations.length} requests`).waitFor()
  assert.match((await columnTexts(page, 'Duration'))[0]!, /^(1 min|[5-9]\.|\d\d\.)/)
  // What is looked at afterwards need not have all rows.
  await page.goto(`${base}/requests?last=1h`)
  await wholeList(page)
})

consoleTest('a click on a row opens it; J and K step in the order of the table', async ({ page, base }) => {
  await page.goto(`${base}/keys?sort=-name`)
  await wholeList(page)
  const names = await columnTexts(page, 'Name')
  assert.ok(names.length > 3)
  await page.locator('tbody tr').nth(1).locator('td').nth(2).click()
  const dialog = page.getByRole('dialog')
  const isShown = (at: number) => dialog.getByRole('heading', { name: names[at]!, exact: true }).waitFor()
  await isShown(1)
  await dialog.getByText(`2 of ${names.length}`).waitFor()
  await page.keyboard.press('j')
  await isShown(2)
  await page.keyboard.press('k')
  await isShown(1)
  await page.keyboard.press('k')
  await isShown(0)
  assert.ok(await dialog.getByRole('button', { name: 'Previous (K)' }).isDisabled())
  await dialog.getByRole('button', { name: 'Next (J)' }).click()
  await isShown(1)
  await page.keyboard.press('Enter')
  await isShown(2)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page
    .locator(':focus')
    .and(page.getByText(names[2]!, { exact: true }))
    .waitFor()
  // The way back leads to what was open last, then to the list, and not through all that were open.
  await page.goBack()
  await isShown(2)
  await page.goBack()
  await dialog.waitFor({ state: 'detached' })
})

// Runs in the page, between the new drawer and the next picture of it.
const pressOnceShown = (heading: string, key: string) => `new MutationObserver((_, observer) => {
  if (document.querySelector('dialog h2')?.textContent !== ${JSON.stringify(heading)}) return
  observer.disconnect()
  document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', bubbles: true }))
}).observe(document.body, { childList: true, subtree: true, characterData: true })`

consoleTest('a key that is pressed as soon as the next row is open is not lost', async ({ page, base }) => {
  await page.goto(`${base}/keys?sort=-name`)
  await wholeList(page)
  const names = await columnTexts(page, 'Name')
  await page.locator('tbody tr').nth(0).locator('td').nth(2).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(`1 of ${names.length}`).waitFor()
  await page.evaluate(pressOnceShown(names[1]!, 'j'))
  await page.keyboard.press('j')
  await dialog.getByText(`3 of ${names.length}`).waitFor()
})

consoleTest('what has buttons of its own does not open the row, and marking a text does not', async (console) => {
  const { page, base } = console
  await page.goto(`${base}/models?view=aliases`)
  const row = page.getByRole('row', { name: /^alias-of-the-file/ })
  await row.getByRole('button', { name: /^Try/ }).click()
  await page.getByRole('dialog').getByRole('heading', { name: 'Try alias-of-the-file' }).waitFor()
  assert.ok(!page.url().includes('alias='))
  await page.keyboard.press('Escape')
  const { x, y, width, height } = (await row.getByText('sandbox/echo', { exact: true }).boundingBox())!
  await page.mouse.move(x + 1, y + height / 2)
  await page.mouse.down()
  await page.mouse.move(x + width, y + height / 2, { steps: 5 })
  await page.mouse.up()
  assert.ok(await page.evaluate('getSelection().toString()'))
  assert.ok(!page.url().includes('alias='))
})

consoleTest('the head of a table stays when the page is scrolled', async ({ page, base }) => {
  await page.goto(`${base}/requests?last=30d`)
  await page.getByText('50 requests shown').waitFor()
  await page.locator('tbody tr').nth(45).scrollIntoViewIfNeeded()
  const top = await page
    .locator('thead th')
    .first()
    .evaluate((head) => head.getBoundingClientRect().top)
  assert.equal(top, 0)
  await page.goto(`${base}/requests?last=1h`)
  await wholeList(page)
})

consoleTest('on a phone each row is a card, and still a row of a table for a screen reader', async ({ page, base }) => {
  await page.setViewportSize(PHONE)
  await page.goto(`${base}/keys`)
  await wholeList(page)
  const [first, second] = [page.locator('tbody tr').nth(0), page.locator('tbody tr').nth(1)]
  const [one, other] = [await first.boundingBox(), await second.boundingBox()]
  assert.ok(one!.x >= 0 && one!.x + one!.width <= PHONE.width, 'a card is as wide as the window at most')
  assert.ok(other!.y >= one!.y + one!.height)
  const client = await page.context().newCDPSession(page)
  const { nodes } = await client.send('Accessibility.getFullAXTree')
  const roles = new Map(Map.groupBy(nodes, ({ role }) => String(role?.value)))
  const rows = await page.locator('tr').count()
  assert.deepEqual([roles.get('table')?.length, roles.get('row')?.length], [1, rows])
  assert.ok(roles.get('columnheader')!.length > 5 && roles.get('cell')!.length > rows)
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  await page.waitForURL(/sort=name/)
  await second.click()
  await page.getByRole('dialog').waitFor()
})

const LISTS = ['requests?last=7d', 'keys', 'budgets', 'guardrails', 'projects?view=people', 'models?view=aliases']
/** As wide as an address of a person. */
const MUCH_ROOM = 170

// Runs in the page: the columns whose texts are cut, and the most that one of the others does not need.
const CUT_AND_ROOM = `[...document.querySelectorAll('table')].map((table) => {
  const columns = [...table.querySelectorAll('thead th')].map((head, at) => {
    const cells = [...table.querySelectorAll('tbody tr')].map((row) => row.children[at])
    const needed = cells.map((cell) => {
      const range = document.createRange()
      range.selectNodeContents(cell)
      return range.getBoundingClientRect().width
    })
    const isCut = cells.some((cell) => cell.scrollWidth > cell.clientWidth + 1)
    return { title: head.textContent, isCut, room: head.getBoundingClientRect().width - Math.max(0, ...needed) }
  })
  return {
    cut: columns.filter(({ isCut }) => isCut).map(({ title }) => title),
    room: Math.max(...columns.filter(({ isCut }) => !isCut).map(({ room }) => room)),
  }
})`

consoleTest(
  'nothing is cut while another column has much room that it does not need',
  async ({ page, base, owner, gateway }) => {
    await invited(owner, gateway, { email: `${randomUUID()}@example.com`, role: 'manager', project: 'search' })
    const guardrail = {
      name: 'Names of products that are not public',
      applies_to: 'all',
      checks: [{ check: 'secrets' }],
      action: 'flag',
    }
    const { body } = await owner('POST', '/admin/guardrails', guardrail)
    await page.setViewportSize({ width: 1280, height: 900 })
    for (const path of LISTS) {
      await page.goto(`${base}/${path}`)
      await wholeList(page)
      const tables = await page.evaluate<{ cut: string[]; room: number }[]>(CUT_AND_ROOM)
      for (const { cut, room } of tables) assert.ok(cut.length === 0 || room < MUCH_ROOM, `${path}: ${cut}, ${room}`)
    }
    await owner('DELETE', `/admin/guardrails/${body.id}`)
  },
)
