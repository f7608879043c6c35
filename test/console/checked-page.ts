import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { type Client, PASSWORD } from '../gateway/people-under-test.ts'
import { chromiumPath } from './chromium.ts'
import { leaveShared, type Shared, shared } from './shared.ts'

// Every test of the console runs through here, so that none forgets what must never happen on any screen.

const AXE = axe.source
const WIDTHS = [1440, 360]
/** A scheme changes colours and nothing else, so the dark one needs only the rule about contrast. */
const SCHEMES = { light: {}, dark: { runOnly: ['color-contrast'] } } as const
/** Rows look alike: of a hundred, the check for contrast alone would take seconds. */
const EXCLUDED = ['tbody tr:nth-child(n+16)']
/** Only ends a test that hangs: a busy machine may take long. */
const WAIT_MS = 120_000
/** `CONSOLE_PICTURES=folder` keeps a picture of the end of each test, also of one that fails. */
const PICTURES = process.env.CONSOLE_PICTURES

export type ConsolePage = {
  page: Page
  /** The address of the listener. */
  base: string
  owner: Client
  gateway: Shared['gateway']
  /** A message of the browser's console that this test causes on purpose, such as a refused sign-in. */
  expect: (message: RegExp) => void
}

/** `listener`: whose pages are tested. Only requests to it are allowed. */
type Options = { signedIn?: boolean; listener?: 'admin' | 'api'; timezone?: string }

/** A test on a new page, skipped without a browser. */
export function consoleTest(
  title: string,
  run: (console: ConsolePage) => Promise<void>,
  { signedIn = true, listener = 'admin', timezone }: Options = {},
) {
  const skip = chromiumPath ? false : 'there is no Chromium; name one with CHROMIUM'
  test(title, { skip }, async () => {
    const { browser, gateway, owner } = await shared()
    const base = listener === 'admin' ? gateway.adminUrl : gateway.url
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
      locale: 'en-US',
      ...(timezone && { timezoneId: timezone }),
    })
    try {
      if (signedIn) await signIn(context, base)
      const page = await context.newPage()
      page.setDefaultTimeout(WAIT_MS)
      const faults = await watch(page, base)
      try {
        await run({ page, base, owner, gateway, expect: faults.expect })
      } catch (error) {
        if (PICTURES) await page.screenshot({ path: pictureOf(title, 'failed') })
        throw error
      }
      await checkLooks(page, title)
      assert.deepEqual(faults.found(), [])
    } finally {
      // A person has a limited number of sessions: a new one would end that of the owner who all tests share.
      if (signedIn) await endSession(context, base)
      await context.close()
    }
  })
}

/** Each file of the folder calls it once. */
export function endShared(): void {
  after(leaveShared)
}

/** The script of the screen has come, and what the screen asks for. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle')
}

type Context = Awaited<ReturnType<Shared['browser']['newContext']>>

async function signIn(context: Context, base: string): Promise<void> {
  const answer = await context.request.post(`${base}/admin/sessions`, {
    data: { email: 'owner@example.com', password: PASSWORD },
  })
  assert.equal(answer.status(), 201)
}

/** The test itself may have ended it. */
async function endSession({ request }: Context, base: string): Promise<void> {
  const { session } = (await (await request.get(`${base}/admin/me`)).json()) as { session?: string }
  if (session) await request.delete(`${base}/admin/sessions/${session}`)
}

/** Runs in the page. */
const REPORT = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  reportViolation(violatedDirective + ' ' + blockedURI))`

/** Violations of the policy, errors, and requests to other hosts. */
async function watch(page: Page, base: string) {
  const found: string[] = []
  const expected: RegExp[] = []
  await page.exposeFunction('reportViolation', (text: string) => found.push(`policy: ${text}`))
  await page.addInitScript(REPORT)
  page.on('console', (message) => message.type() === 'error' && found.push(`console: ${message.text()}`))
  page.on('pageerror', (error) => found.push(`error: ${error.message}`))
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(`${base}/`)) found.push(request.url())
  })
  return {
    expect: (message: RegExp) => expected.push(message),
    found: () => found.filter((one) => !expected.some((pattern) => pattern.test(one))),
  }
}

async function checkLooks(page: Page, title: string): Promise<void> {
  for (const width of WIDTHS)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      if (PICTURES) await page.screenshot({ path: pictureOf(title, `${width}-${colorScheme}`) })
      assert.deepEqual(await sidewaysOf(page), 0, `${width} px: the page scrolls sideways`)
      assert.deepEqual(await axeViolations(page, SCHEMES[colorScheme]), [], `${width} px, ${colorScheme}`)
    }
}

function pictureOf(title: string, end: string): string {
  return join(PICTURES!, `${title.replace(/\W+/g, '-')}-${end}.png`)
}

/** Of the page, and of a dialog that is open. Runs in the page. */
const SIDEWAYS = `Math.max(...[document.documentElement, ...document.querySelectorAll('dialog[open], .dialog-body')]
  .map((box) => box.scrollWidth - box.clientWidth))`

async function sidewaysOf(page: Page): Promise<number> {
  return await page.evaluate(SIDEWAYS)
}

type AxeResult = { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }

/** Under the policy of the page, only the browser's own tools can run the text. */
async function axeViolations(page: Page, rules: object): Promise<string[]> {
  if (await page.evaluate(`typeof axe === 'undefined'`)) await page.evaluate(AXE)
  const options = JSON.stringify({ resultTypes: ['violations'], ...rules })
  const context = JSON.stringify({ exclude: EXCLUDED })
  const { violations } = (await page.evaluate(`axe.run(${context}, ${options})`)) as AxeResult
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  )
}
