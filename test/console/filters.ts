import type { Locator, Page } from 'playwright-core'

/** As a person does it: the button, the name of the filter, its value. What matches first is taken. */
export async function addFilter(page: Page, label: string, value: string): Promise<void> {
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByRole('combobox', { name: 'Filter by' }).fill(label)
  await settledOption(page, 'Filter by', { name: label, exact: true }).click()
  await page.locator(`input[role=combobox][aria-label="${label}"]`).fill(value)
  await settledOption(page, label, { name: value }).click()
}

/** The first option with this name, once the list stays as it is: a click beside a list that has moved would close it. */
export function settledOption(page: Page, label: string, wanted: { name: string | RegExp; exact?: boolean }): Locator {
  const list = page.getByRole('listbox', { name: label, exact: true }).and(page.locator('[aria-busy=false]'))
  return list.getByRole('option', wanted).first()
}

/** Waits until a list is there as a whole: the line below it says how many rows that are, and not that there are more. */
export async function wholeList(page: Page): Promise<void> {
  const more = page.getByRole('button', { name: 'Show more' })
  const foot = page.locator('.table-foot')
  for (;;) {
    await foot
      .getByText(/^[\d,]+ [a-z ]+( shown\. There are more\.)?$/)
      .first()
      .waitFor()
    if ((await more.count()) === 0) return
    await more.click()
  }
}
