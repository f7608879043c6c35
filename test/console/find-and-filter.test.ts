import assert from 'node:assert/strict'
import { consoleTest, endShared } from './checked-page.ts'
import { addFilter, settledOption, wholeList } from './filters.ts'

endShared()

consoleTest(
  'a filter is made with the keyboard alone: a key by its name, and the chip has the name',
  async (console) => {
    const { page, base, owner } = console
    const { body } = await owner('GET', '/admin/keys?name=search%20staging')
    const [key] = body.items
    await page.goto(`${base}/requests?last=30d`)
    await page.getByText('50 requests shown').waitFor()
    await page.keyboard.press('f')
    await page.getByRole('combobox', { name: 'Filter by' }).waitFor()
    await page.keyboard.type('key')
    await page.keyboard.press('Enter')
    await page.getByRole('combobox', { name: 'Key', exact: true }).waitFor()
    await page.keyboard.type('search staging')
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`key=${key.id}`))
    const chips = page.getByRole('list', { name: 'Filters in use' })
    await chips.getByRole('button', { name: 'Key: search staging' }).waitFor()
    await page.getByRole('cell', { name: 'support staging' }).first().waitFor({ state: 'detached' })
    const shown = new Set(await page.locator('tbody td[data-label="Key"]').allInnerTexts())
    assert.ok([...shown].every((name) => name === 'search staging'))
    await chips.getByRole('button', { name: 'Remove filter Key' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => !url.search.includes('key='))
    assert.equal(await page.evaluate('document.activeElement.textContent.trim()'), 'Filter')
    await page.goto(`${base}/requests?last=1h`)
    await wholeList(page)
  },
)

consoleTest('projects, people, models and tags are offered by name, and a chip can be changed', async (console) => {
  const { page, base } = console
  await page.goto(`${base}/usage?group=project`)
  await addFilter(page, 'Project', 'support team')
  await page.waitForURL(/project=support/)
  await addFilter(page, 'Model', 'openai/gpt-4o-mini')
  await page.waitForURL(/model=openai/)
  await addFilter(page, 'Tag', 'team=support')
  await page.waitForURL(/tag=team(%3D|=)support/)
  await page.getByRole('button', { name: 'Project: support team' }).click()
  await page.getByRole('combobox', { name: 'Project', exact: true }).fill('search')
  await settledOption(page, 'Project', { name: /^search team/ }).click()
  await page.waitForURL(/project=search/)
  await page.goto(`${base}/keys`)
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await settledOption(page, 'Filter by', { name: 'User' }).click()
  await settledOption(page, 'User', { name: /owner@example\.com/ }).waitFor()
})

consoleTest('a part of the name finds models in the catalog', async ({ page, base }) => {
  await page.goto(`${base}/models?view=catalog`)
  await page.getByRole('searchbox', { name: 'Search models' }).fill('GPT-4o-mini')
  await page.waitForURL(/search=GPT-4o-mini/)
  await page.getByRole('cell', { name: 'openai/gpt-4o-mini', exact: true }).waitFor()
  for (const id of await page.locator('tbody td[data-label="Model"]').allInnerTexts()) assert.match(id, /gpt-4o-mini/i)
})

consoleTest('a view is saved under a name, with filter, order and columns, and opened again', async (console) => {
  const { page, base } = console
  await page.goto(`${base}/requests?last=7d&failed=true&sort=-cost`)
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('checkbox', { name: 'Project' }).uncheck()
  await page.waitForURL(/columns=/)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('textbox', { name: 'Name of this view' }).fill('Dear failures')
  await page.keyboard.press('Enter')
  const view = page.getByRole('link', { name: 'Dear failures' })
  await view.waitFor()
  await page.evaluate("localStorage.removeItem('columns:requests')")
  await page.goto(`${base}/requests`)
  await page.getByRole('columnheader', { name: 'Project' }).waitFor()
  await page.getByRole('button', { name: 'Views' }).click()
  await view.click()
  await page.waitForURL(/failed=true.*sort=-cost/)
  await page.getByRole('columnheader', { name: 'Project' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('button', { name: 'Remove view Dear failures' }).click()
  await view.waitFor({ state: 'detached' })
})

const FOUND = {
  Webh: ['Webhooks', /\/webhooks$/],
  req_hostile: ['req_hostile', /\/requests\?call=req_hostile/],
  'support stag': ['support staging', /\/keys\?key=/],
  'support team': ['support team', /\/projects\?project=support/],
  'owner@ex': ['person', /\/projects\?view=people&user=/],
  'ox/ech': ['sandbox/echo', /\/models\?model=sandbox/],
} as const

consoleTest('Ctrl+K finds screens, requests, keys, projects, people and models', async ({ page, base }) => {
  await page.goto(`${base}/settings`)
  await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  for (const [text, [title, address]] of Object.entries(FOUND)) {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Find' }).waitFor()
    await page.keyboard.type(text)
    await page.getByRole('option', { name: title }).first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(address)
    await page.getByRole('combobox', { name: 'Find' }).waitFor({ state: 'detached' })
    await page.goto(`${base}/settings`)
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  }
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Find' }).waitFor()
})

consoleTest('a page lists the keys, and those without Ctrl can be turned off', async ({ page, base }) => {
  await page.goto(`${base}/keys`)
  await wholeList(page)
  await page.keyboard.press('?')
  const help = page.getByRole('dialog')
  await help.getByText('Next row').waitFor()
  await help.getByRole('checkbox').uncheck()
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
  await page.keyboard.press('?')
  await page.keyboard.press('f')
  assert.equal(await page.getByRole('dialog').count(), 0)
  assert.equal(await page.getByRole('combobox', { name: 'Filter by' }).count(), 0)
  await page.getByRole('button', { name: 'Keyboard' }).click()
  await help.getByText('Next row').waitFor()
})
