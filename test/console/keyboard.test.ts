import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { CONSOLE_SCREENS } from '../../src/http/console/screens.ts'
import { consoleTest, endShared } from './checked-page.ts'

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

/** Dialogs and drawers: the screen, and what opens one. */
const OPENED = [
  ['keys', 'button', 'New key'],
  ['projects', 'button', 'New project'],
  ['projects?view=people', 'button', 'Invite'],
  ['budgets', 'button', 'New budget'],
  ['models?view=aliases', 'button', 'New alias'],
  ['webhooks', 'button', 'Send a test'],
  ['requests?last=30d', 'link', undefined],
  ['keys', 'link', undefined],
  ['projects', 'link', undefined],
  ['audit', 'link', undefined],
] as const

/** More than any screen has: a walk that does not end is a trap. */
const MAX_TABS = 1_000

consoleTest('every action of every screen is reached with the keyboard', async ({ page, base }) => {
  const faults: string[] = []
  for (const screen of [...SCREENS, ...PLAYGROUND]) {
    await page.goto(`${base}/${screen}`)
    await page.waitForLoadState('networkidle')
    for (const fault of await faultsOf(page)) faults.push(`/${screen}: ${fault}`)
  }
  assert.deepEqual(faults, [])
})

consoleTest('every action of dialogs and drawers is reached with the keyboard', async ({ page, base }) => {
  const faults: string[] = []
  for (const [screen, role, name] of OPENED) {
    await page.goto(`${base}/${screen}`)
    if (role === 'button') await page.getByRole('button', { name }).press('Enter')
    else await page.getByRole('table').getByRole('link').first().press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.waitForLoadState('networkidle')
    for (const fault of await faultsOf(page)) faults.push(`/${screen}, ${name ?? 'the first row'}: ${fault}`)
  }
  assert.deepEqual(faults, [])
})

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
