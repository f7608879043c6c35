import assert from 'node:assert/strict'
import { consoleTest, endShared } from './checked-page.ts'

endShared()

consoleTest('the table sums up to the number of the chart, for every metric that adds up', async ({ page, base }) => {
  await page.goto(`${base}/usage`)
  for (const [metric, title] of Object.entries({ cost: 'Cost', requests: 'Requests', tokens: 'Tokens' })) {
    await page.getByLabel('Metric').selectOption(metric)
    const chart = page.getByRole('img', { name: new RegExp(`^${title} by day`) })
    const [, total] = /: (\S+) in total/.exec((await chart.getAttribute('aria-label'))!)!
    await page.getByRole('row', { name: 'Total' }).getByText(total!, { exact: true }).first().waitFor()
    const column = await page.getByRole('row').locator('td:nth-child(2)').allInnerTexts()
    const [sum, ...parts] = column.map((text) => Number(text.replace(/[$,]/g, ''))).reverse()
    assert.ok(Math.abs(parts.reduce((all, part) => all + part, 0) - sum!) < 0.05, `${metric}: ${column}`)
  }
})

consoleTest('the chart is made of the groups of the table, and its numbers add up', async ({ page, base }) => {
  await page.goto(`${base}/usage?metric=requests&last=7d&group=project`)
  await page.getByRole('img', { name: /^Requests by day and project: / }).waitFor()
  const legend = page.locator('.legend')
  for (const name of ['search team', 'support team']) await legend.getByText(name).waitFor()
  await page.getByText('Show as table').click()
  const rows = await page.locator('.series tbody tr').all()
  let whole = 0
  for (const row of rows) {
    const texts = await row.locator('td').allInnerTexts()
    const [all, ...parts] = texts.map((text) => Number(text.replaceAll(',', ''))).reverse()
    assert.equal(
      parts.reduce((sum, part) => sum + part, 0),
      all,
      texts.join(' '),
    )
    whole += all!
  }
  const total = page.getByRole('row', { name: 'Total' }).locator('td').nth(1)
  assert.equal(Number((await total.innerText()).replaceAll(',', '')), whole)
})

consoleTest('a group limits the screen to itself, and the table groups by something else', async ({ page, base }) => {
  await page.goto(`${base}/usage?group=project`)
  await page.getByRole('button', { name: 'search team' }).click()
  await page.waitForURL(/project=search/)
  await page.getByRole('combobox', { name: 'Group by' }).selectOption('Key')
  await page.getByRole('button', { name: 'search production' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'support production' }).count(), 0)
  await page.getByRole('combobox', { name: 'Group by' }).selectOption('Tag')
  await page.getByLabel('Tag name').fill('team')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'search', exact: true }).waitFor()
})

consoleTest('a time without calls says how to make one', async ({ page, base }) => {
  await page.goto(`${base}/usage?from=2020-01-01T00:00:00.000Z&to=2020-01-02T00:00:00.000Z`)
  await page.getByRole('heading', { name: 'No usage in this time' }).waitFor()
  await page.getByText('/v3/chat/completions').waitFor()
})

consoleTest('the numbers of the chart are in a table too', async ({ page, base }) => {
  await page.goto(`${base}/usage?last=7d&metric=p95`)
  await page.getByText('Show as table').click()
  assert.equal(await page.locator('.series tbody tr').count(), 8)
})
