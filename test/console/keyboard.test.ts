import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { CONSOLE_SCREENS } from '../../src/http/console/screens.ts'
import { consoleTest, endShared, settled } from './checked-page.ts'
import { pausedBatch } from './made-batches.ts'

// Every screen without a mouse: what can be clicked can be reached with the Tab key, is seen when it has the focus, and has a name
// for a screen reader.

endShared()

const SCREENS = [
  '',
  ...CONSOLE_SCREENS,
  'projects?view=people',
  'models?view=catalog',
  'models?view=aliases',
  'alerts?view=rules',
]
const PLAYGROUND = ['task', 'image', 'speech', 'transcription'].map((view) => `playground?view=${view}`)

type Opening = { screen: string; what: string; open: (page: Page) => Promise<void> }

const byButton = (screen: string, name: string): Opening => ({
  screen,
  what: name,
  open: (page) => page.getByRole('button', { name }).first().press('Enter'),
})
const firstRow = (screen: string): Opening => ({
  screen,
  what: 'the first row',
  open: (page) => page.getByRole('table').getByRole('link').first().press('Enter'),
})
const byKey = (screen: string, key: string): Opening => ({
  screen,
  what: key,
  open: (page) => page.keyboard.press(key),
})

const DIALOGS: readonly Opening[] = [
  ...[byButton('keys', 'New key'), byButton('keys', 'Revoke all'), byButton('projects', 'New project')],
  ...[byButton('projects?view=people', 'Invite'), byButton('projects?view=people', 'New service account')],
  ...[byButton('budgets', 'New budget'), byButton('budgets', 'New rate limit')],
  byButton('guardrails', 'New guardrail'),
  ...[byButton('models', 'Set up a provider'), byButton('models?view=aliases', 'New alias')],
  byButton('mcp', 'New server'),
  ...[byButton('models?view=aliases', 'Try'), byButton('webhooks', 'Send a test')],
  ...[
    byButton('playground', 'Open as code'),
    byButton('playground', 'Add a model'),
    byButton('playground', 'Add a tool'),
  ],
  ...[firstRow('requests?last=30d'), firstRow('keys'), firstRow('projects'), firstRow('projects?view=people')],
  ...[firstRow('budgets'), firstRow('models?view=aliases'), firstRow('audit'), firstRow('batches')],
  ...[byKey('keys', 'Control+k'), byKey('keys', '?')],
]
const POPOVERS: readonly Opening[] = [
  ...[byButton('requests?last=30d', 'Filter'), byButton('requests?last=30d', 'Views'), byButton('keys', 'Columns')],
]

/** More than any screen has: a walk that does not end is a trap. */
const MAX_TABS = 1_000

consoleTest('every action of every screen is reached with the keyboard', async ({ page, base }) => {
  const faults: string[] = []
  for (const screen of [...SCREENS, ...PLAYGROUND]) {
    await page.goto(`${base}/${screen}`)
    await settled(page)
    for (const fault of await faultsOf(page)) faults.push(`/${screen}: ${fault}`)
  }
  assert.deepEqual(faults, [])
})

consoleTest('every action of dialogs, drawers and menus is reached with the keyboard', async (console) => {
  const { page, base } = console
  await pausedBatch(console, 'The budget of the test is spent.')
  const faults: string[] = []
  const look = async (openings: readonly Opening[], opened: string) => {
    for (const { screen, what, open } of openings) {
      await page.goto(`${base}/${screen}`)
      await settled(page)
      await open(page)
      await page.locator(opened).waitFor()
      // What has arrived changes the title, and the focus begins there again.
      await page.locator(`${opened} .loading`).first().waitFor({ state: 'detached' })
      await page.waitForLoadState('networkidle')
      for (const fault of await faultsOf(page)) faults.push(`/${screen}, ${what}: ${fault}`)
    }
  }
  await look(DIALOGS, 'dialog[open]')
  await look(POPOVERS, ':popover-open')
  assert.deepEqual(faults, [])
})

consoleTest('the walk finds what cannot be reached, is not seen, and has no name', async ({ page, base }) => {
  await page.goto(`${base}/account`)
  await page.getByRole('heading', { name: 'Your account' }).waitFor()
  await page.waitForLoadState('networkidle')
  await page.evaluate(WRONG)
  const faults = await faultsOf(page)
  for (const expected of [/^not reached: <button id="skipped"/, /^not reached: <span id="hand"/])
    assert.ok(
      faults.some((fault) => expected.test(fault)),
      `${expected}: ${faults.join('\n')}`,
    )
  assert.ok(faults.some((fault) => fault.startsWith('no ring: <button id="bare"')))
  assert.ok(faults.includes('no name: button'))
  assert.equal(faults.length, 4)
  await page.evaluate(`document.querySelector('#wrong').remove()`)
})

/** Runs in the page: controls as no screen may have them. */
const WRONG = `(() => {
  const add = (tag, id, text, change) => {
    const one = Object.assign(document.createElement(tag), { id, textContent: text })
    change(one)
    box.append(one)
  }
  const box = Object.assign(document.createElement('div'), { id: 'wrong' })
  add('button', 'skipped', 'Skipped', (one) => one.tabIndex = -1)
  add('span', 'hand', 'Hand', (one) => one.style.cursor = 'pointer')
  add('button', 'bare', 'Bare', (one) => one.style.outline = 'none')
  add('button', 'nameless', '', (one) => one.style.padding = '8px')
  document.querySelector('main').append(box)
})()`

async function faultsOf(page: Page): Promise<string[]> {
  const unseen = await walk(page)
  return [...unseen, ...(await page.evaluate<string[]>(UNREACHED)), ...(await unnamed(page))]
}

/** Presses Tab until the walk is around, marks what had the focus, and returns what did not look like it. */
async function walk(page: Page): Promise<string[]> {
  const unseen: string[] = []
  let isOutside = false
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    await page.keyboard.press('Tab')
    const step = await page.evaluate<{ at: 'outside' | 'new' | 'known'; unseen?: string }>(STEP)
    if (step.at === 'known' || (step.at === 'outside' && isOutside)) return unseen
    isOutside = step.at === 'outside'
    if (step.unseen) unseen.push(step.unseen)
  }
  return [...unseen, `the walk did not end after ${MAX_TABS} elements`]
}

/** Runs in the page. Between the last element and the first one the focus is outside, at the browser's own buttons. */
const STEP = `(() => {
  const at = document.activeElement
  if (!at || at === document.body) return { at: 'outside' }
  if (at.dataset.walked) return { at: 'known' }
  at.dataset.walked = 'yes'
  const shown = at.matches('[type=radio], [type=checkbox], [type=file]') ? at.closest('label') ?? at : at
  const hasRing = [at, shown].some((one) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one)
    return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none'
  })
  const { width, height, bottom, top } = shown.getBoundingClientRect()
  const isInView = width > 0 && height > 0 && bottom > 0 && top < innerHeight
  const text = at.outerHTML.slice(0, 120)
  return { at: 'new', unseen: hasRing && isInView ? undefined : (hasRing ? 'out of view: ' : 'no ring: ') + text }
})()`

/**
 * Runs in the page. What shows a hand to the mouse, and every control, had the focus, or is a part, a label or a neighbour in the same
 * group of something that had it. In a group only one has a place in the order of Tab; arrow keys reach the others.
 */
const UNREACHED = `(() => {
  const root = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body
  const controls = 'a[href], button, input, select, textarea, summary, [role=button], [role=link], [role=tab], [role=option], [onclick]'
  const groups = '[role=tablist], [role=listbox], [role=menu], [role=radiogroup], [role=grid], fieldset'
  const isShown = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && one.getClientRects().length > 0
  const isHand = (one) => getComputedStyle(one).cursor === 'pointer' && getComputedStyle(one.parentElement).cursor !== 'pointer'
  const isReached = (one) =>
    one.closest('[data-walked]') || one.querySelector('[data-walked]') || one.closest('label')?.querySelector('[data-walked]') ||
    one.control?.dataset.walked || one.closest(groups)?.querySelector('[data-walked]') ||
    (one.name && document.querySelector('[data-walked][name="' + CSS.escape(one.name) + '"]'))
  return [...root.querySelectorAll('*')]
    .filter((one) => (one.matches(controls) || isHand(one)) && isShown(one) && !one.disabled && !one.closest('[inert], :disabled') && !isReached(one))
    .map((one) => 'not reached: ' + one.outerHTML.slice(0, 160))
})()`

type Node = {
  ignored: boolean
  role?: { value: string }
  name?: { value: string }
  properties?: { name: string; value: { value: unknown } }[]
}

/** The whole page, and where its content begins: they take the focus, and nothing can be done with them. */
const PLACES = ['RootWebArea', 'main']

/** What can have the focus and has no name in the accessibility tree. */
async function unnamed(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page)
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as { nodes: Node[] }
  await session.detach()
  const isFocusable = ({ properties }: Node) =>
    properties?.some(({ name, value }) => name === 'focusable' && value.value === true)
  return nodes
    .filter(
      (node) =>
        !node.ignored && isFocusable(node) && !PLACES.includes(node.role?.value ?? '') && !node.name?.value.trim(),
    )
    .map((node) => `no name: ${node.role?.value}`)
}
