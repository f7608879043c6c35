import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator } from 'playwright-core'
import { money } from '../../console/parts/format.ts'
import { CONSOLE_SCREENS } from '../../src/http/console/screens.ts'
import { PASSWORD } from '../gateway/people-under-test.ts'
import { consoleTest, endShared, settled } from './checked-page.ts'

// What holds on every screen.

endShared()

const MAX_TABS = 60
const VIEWS = ['projects?view=people', 'models?view=catalog', 'models?view=aliases', 'alerts?view=rules']
const PLAYGROUND = ['task', 'image', 'speech', 'transcription'].map((view) => `playground?view=${view}`)

/** Who has signed in is asked for once, by the frame around all screens. */
const OF_THE_FRAME = '/admin/me'

consoleTest('no screen asks the gateway for more than five things', async ({ page, base }) => {
  let asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/admin/') && pathname !== OF_THE_FRAME) asked.push(request.url())
  })
  for (const screen of ['', ...CONSOLE_SCREENS, ...VIEWS, ...PLAYGROUND]) {
    asked = []
    await page.goto(`${base}/${screen}`)
    await settled(page)
    assert.ok(asked.length >= 1 && asked.length <= 5, `/${screen}: ${asked.join('\n')}`)
  }
})

consoleTest(
  'a person signs in, skips the menu, opens a key and closes it, with the keyboard only',
  async ({ page, base, expect }) => {
    expect(/status of 401/)
    await page.goto(`${base}/keys`)
    await page.getByLabel('E-mail').waitFor()
    await page.getByLabel('E-mail').focus()
    await page.keyboard.type('owner@example.com')
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    const link = page.getByRole('link', { name: 'search staging' })
    await link.waitFor()
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.textContent.trim()'), 'Skip to the content')
    await page.keyboard.press('Enter')
    for (let tabs = 0; tabs < MAX_TABS && !(await isFocused(link)); tabs++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('heading', { name: 'search staging' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  },
  { signedIn: false },
)

consoleTest('no table is wider than its place, and nothing in it is cut, at any width', async ({ page, base }) => {
  const faults: string[] = []
  for (const screen of ['', ...CONSOLE_SCREENS, ...VIEWS, ...PLAYGROUND]) {
    await page.goto(`${base}/${screen}${screen === 'requests' ? '?last=30d' : ''}`)
    await settled(page)
    for (const width of [390, 800, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      for (const fault of await page.evaluate<string[]>(TOO_WIDE)) faults.push(`/${screen}, ${width} px: ${fault}`)
    }
  }
  assert.deepEqual(faults, [])
})

/** Runs in the page. A text may end with an ellipsis; what is drawn, and what can be pressed, may not be cut. */
const TOO_WIDE = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement
  const boxes = [...document.querySelectorAll('.table-box')].filter((one) => !one.closest('details:not([open])'))
  const end = (one) => one.getBoundingClientRect().right
  const cut = [...document.querySelectorAll('td :is(.bar, .badge, .wrapped, button)')]
    .filter((one) => one.checkVisibility() && !one.closest('td.minor') && end(one) > end(one.closest('td')) + 1)
  return [
    ...(scrollWidth > clientWidth ? ['the page'] : []),
    ...boxes.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.getAttribute('aria-label')),
    ...cut.map((one) => 'cut: ' + one.outerHTML.slice(0, 120)),
  ]
})()`

function isFocused(link: Locator): Promise<boolean> {
  return link.evaluate((element) => element === element.ownerDocument.activeElement)
}

test('an estimate has a ~ before it, and an unknown amount is –', () => {
  assert.deepEqual([money(0.5), money(0.5, true), money(null), money(null, true)], ['$0.50', '~$0.50', '–', '–'])
})
