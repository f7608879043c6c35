import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { change, plural, points } from '../../console/parts/format.ts'
import { MARK_PATH } from '../../console/parts/icons/mark-path.ts'
import { insertUsage } from '../../src/platform/store/ledger/usage.ts'
import { HOUR_MS, KB } from '../../src/base/units/units.ts'
import { ledgerLine } from '../fakes/ledger-line.ts'
import { consoleTest, endShared } from './checked-page.ts'

// How things look and what they are called, on whichever screen they are.

endShared()

test('amounts have a true minus and a fitting plural', () => {
  assert.deepEqual([change(90, 100), change(110, 100), change(1, 0)], ['−10%', '+10%', undefined])
  assert.deepEqual([points(-0.011), points(0.02), points(0)], ['−1.1 pts', '+2.0 pts', '±0.0 pts'])
  assert.deepEqual(
    [plural(1, 'call'), plural(0, 'call'), plural(1204, 'call'), plural(2, 'entry'), plural(3, 'person')],
    ['1 call', '0 calls', '1,204 calls', '2 entries', '3 people'],
  )
})

consoleTest('the icon of the tab is the mark, and every screen of the menu has an icon', async ({ page, base }) => {
  await page.goto(`${base}/settings`)
  const icon = await page.locator('link[rel=icon]').getAttribute('href')
  assert.ok(icon!.includes(MARK_PATH))
  const links = page.getByRole('navigation', { name: 'Screens' }).getByRole('link')
  await links.first().waitFor()
  assert.equal(await links.locator('svg').count(), await links.count())
})

/** What the scripts and styles of the first load may weigh, compressed, with the answers of the screen. */
const MAX_FIRST_LOAD = 115 * KB

consoleTest('the first load of a screen is small', async ({ page, base }) => {
  let bytes = 0
  const read: Promise<void>[] = []
  page.on('requestfinished', (request) => {
    read.push(
      request.sizes().then(({ responseBodySize, responseHeadersSize }) => {
        bytes += responseBodySize + responseHeadersSize
      }),
    )
  })
  await page.goto(`${base}/requests`)
  await page.waitForLoadState('networkidle')
  await Promise.all(read)
  assert.ok(read.length > 5 && bytes < MAX_FIRST_LOAD, `${read.length} requests, ${bytes} bytes`)
})

/** Notes what is written on charts, and where. Runs in the page, before its scripts. */
const NOTE_LABELS = `
  window.labels = []
  const { fillText } = CanvasRenderingContext2D.prototype
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
    const { a: scale, e: left } = this.getTransform()
    const width = this.measureText(text).width * scale
    if (text) labels.push({ text, middle: x * scale + left, width, isBelow: this.textAlign === 'center', whole: this.canvas.width })
    return fillText.call(this, text, x, y, ...more)
  }`

type Label = { text: string; middle: number; width: number; isBelow: boolean; whole: number }

consoleTest('no label of a chart is cut, and none meets the amounts beside it', async ({ page, base }) => {
  await page.addInitScript(NOTE_LABELS)
  for (const [path, width] of [
    ['/?last=24h', 1440],
    ['/?last=24h', 1024],
    ['/usage', 390],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(base + path)
    await page.locator('.chart canvas').waitFor()
    const labels = await page.evaluate<Label[]>('labels')
    const times = labels.filter(({ isBelow }) => isBelow)
    const amounts = labels.filter(({ isBelow }) => !isBelow)
    assert.ok(times.length > 0 && amounts.length > 0, `${path} has labels`)
    const edge = Math.max(...amounts.map(({ middle }) => middle))
    for (const { text, middle, width: wide, whole } of times) {
      assert.ok(middle + wide / 2 <= whole + 1, `${path}, ${width}: ${text} is cut`)
      assert.ok(middle - wide / 2 >= edge - 1, `${path}, ${width}: ${text} meets an amount`)
    }
  }
})

consoleTest('calls that cost nothing are not shown as an empty chart', async ({ page, base, gateway }) => {
  const at = Date.parse('2025-03-04T05:30:00Z')
  await insertUsage(gateway.gateway.services.calls.db, [ledgerLine({ id: 'req_for_nothing', at, cost: 0 })])
  const time = `from=${new Date(at - HOUR_MS).toISOString()}&to=${new Date(at + HOUR_MS).toISOString()}`
  await page.goto(`${base}/?${time}`)
  await page.getByRole('img', { name: /^Requests by hour: 1 in total/ }).waitFor()
  await page.goto(`${base}/usage?${time}`)
  await page.getByText('Cost by hour and model: $0 in total.').waitFor()
  assert.equal(await page.locator('canvas').count(), 0)
})

consoleTest('the overview says how numbers have changed, and since when', async ({ page, base }) => {
  await page.goto(`${base}/?last=7d`)
  const spend = page.getByRole('link', { name: /^Spend/ })
  await spend.getByText(/vs previous 7\sdays|no earlier data/).waitFor()
  assert.ok((await page.locator('.sparkline').count()) >= 3)
  const look = await spend.locator('.change').getAttribute('class')
  const isMore = (await spend.innerText()).includes('+')
  assert.equal(look, isMore ? 'change bad' : 'change good')
})

consoleTest('the heading of the columns is inside of their box', async ({ page, base }) => {
  await page.goto(`${base}/requests`)
  await page.getByRole('button', { name: 'Columns' }).click()
  const box = (await page.locator('#columns').boundingBox())!
  const heading = (await page.locator('#columns-title').boundingBox())!
  assert.ok(heading.y >= box.y && heading.y + heading.height <= box.y + box.height)
  await page.getByRole('group', { name: 'Columns' }).getByRole('button', { name: 'Reset' }).waitFor()
})

consoleTest('tables fit the window, as tables or as cards', async ({ page, base }) => {
  for (const path of ['requests?last=30d', 'keys', 'jobs', 'webhooks', 'audit', 'budgets', 'projects']) {
    await page.goto(`${base}/${path}`)
    await page.waitForLoadState('networkidle')
    for (const width of [1440, 768, 390]) {
      await page.setViewportSize({ width, height: 900 })
      assert.equal(await overflowOf(page), 0, `/${path} at ${width}`)
    }
  }
})

function overflowOf(page: Page): Promise<number> {
  return page.evaluate(
    `Math.max(0, ...[...document.querySelectorAll('.table-box')].map((box) => box.scrollWidth - box.clientWidth))`,
  )
}

consoleTest('links in cells are not underlined until they are pointed at', async ({ page, base }) => {
  await page.goto(`${base}/keys`)
  const link = page.getByRole('link', { name: 'search staging' })
  await link.waitFor()
  assert.equal(await page.evaluate(`getComputedStyle(document.querySelector('.row-link')).textDecorationLine`), 'none')
})

consoleTest('all times have one style, and the screen names their zone', async ({ page, base }) => {
  for (const path of ['/', '/keys', '/budgets', '/audit', '/jobs', '/account']) {
    await page.goto(base + path)
    await page.waitForLoadState('networkidle')
    const text = await page.locator('main').innerText()
    assert.doesNotMatch(text, /\d (AM|PM)\b/, path)
    assert.equal(text.split('Times are in ').length, 2, path)
  }
})

const TURNED = '\u202Eevil\u202C name'

consoleTest('characters that turn the direction of a text are shown as what they are', async (console) => {
  const { page, base, owner } = console
  const { body: key } = await owner('POST', '/admin/keys', { name: TURNED, project: 'search' })
  await owner('POST', '/admin/projects', { id: 'turned', name: TURNED })
  const shown = '[U+202E]evil[U+202C] name'
  await page.goto(`${base}/keys?key=${key.id}`)
  await page.getByRole('dialog').getByRole('heading', { name: shown }).waitFor()
  for (const path of ['/keys?name=evil', '/projects']) {
    await page.goto(base + path)
    await page.getByRole('link', { name: shown }).first().waitFor()
    assert.doesNotMatch(await page.content(), /[\u202A-\u202E\u2066-\u2069]/u)
  }
})
