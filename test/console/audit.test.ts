import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { consoleTest, endShared } from './checked-page.ts'
import { addFilter } from './filters.ts'

const MARKUP = '<img src=y>'

endShared()

consoleTest('a change is found, with before and after, and follows the entry before it', async (console) => {
  const { page, base, owner } = console
  const { body: key } = await owner('POST', '/admin/keys', { name: 'an old name', project: 'search' })
  assert.equal((await owner('PATCH', `/admin/keys/${key.id}`, { name: `new ${MARKUP}` })).status, 200)
  await page.goto(`${base}/audit`)
  await addFilter(page, 'Object', `key:${key.id}`)
  await page.waitForURL(/object=key/)
  const row = page.getByRole('row', { name: 'key.update' })
  await row.getByText('an old name → new', { exact: false }).waitFor()
  await row.getByRole('link').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('cell', { name: 'an old name' }).waitFor()
  await dialog.getByRole('cell', { name: `new ${MARKUP}` }).waitFor()
  await dialog.getByText('Follows entry', { exact: false }).waitFor()
  await dialog.getByRole('link', { name: `key new ${MARKUP}` }).waitFor()
  assert.equal(await dialog.getByText(/^user:/).count(), 0, 'people have names')
  assert.equal(await page.locator('img').count(), 0)
})

consoleTest('the whole filter is exported as JSON lines', async ({ page, base, owner }) => {
  await owner('POST', '/admin/keys', { name: 'exported', project: 'search' })
  await page.goto(`${base}/audit?action=key.create`)
  await page.getByText('key.create', { exact: true }).first().waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'JSON lines' }).click(),
  ])
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n')
  assert.ok(lines.length > 1)
  for (const line of lines) assert.equal(JSON.parse(line).action, 'key.create')
})
