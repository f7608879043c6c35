import type { Page } from 'playwright-core'

/** As a person does it: the button, the name of the filter, its value. What matches first is taken, once the list stays as it is. */
export async function addFilter(page: Page, label: string, value: string): Promise<void> {
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await page.getByRole('combobox', { name: 'Filter by' }).fill(label)
  const found = page.locator('[role=listbox][aria-busy=false]')
  const named = (name: string) => page.getByRole('listbox', { name, exact: true }).and(found)
  await named('Filter by').getByRole('option', { name: label, exact: true }).click()
  await page.locator(`input[role=combobox][aria-label="${label}"]`).fill(value)
  await named(label).getByRole('option', { name: value }).first().click()
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
