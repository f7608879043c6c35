import type { Page } from 'playwright-core'
import { type ConsolePage, consoleTest } from './checked-page.ts'

// The docs page has the same rules as every screen of the console.

/** A test on the docs page of the API. It is open without a sign-in. */
export function docsTest(title: string, run: (console: ConsolePage) => Promise<void>): void {
  consoleTest(`docs: ${title}`, run, { signedIn: false, listener: 'api' })
}

export async function openOperation(page: Page, base: string, id: string): Promise<void> {
  await page.goto(`${base}/docs#${id}`)
  await page.locator('article h1').waitFor()
}

export async function pasteKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key)
}

export function answerOf(page: Page) {
  return page.getByRole('region', { name: 'Answer' })
}

/** Sends, and waits until the answer is complete. */
export async function sendAndWait(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send' }).click()
  await answerOf(page)
    .getByText(/^total /)
    .waitFor()
}
