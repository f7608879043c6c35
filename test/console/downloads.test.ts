import assert from 'node:assert/strict'
import { consoleTest, endShared } from './checked-page.ts'

endShared()

/** Screens with lists, and what of their address has to be in the download. */
const LISTS = {
  '/requests?failed=true&last=30d': 'failed=true',
  '/usage?group=key': 'group_by=key',
  '/keys': '/admin/keys',
  '/projects': '/admin/projects',
  '/projects?view=people&kind=service': 'kind=service',
  '/budgets': '/admin/budgets',
  '/models?view=aliases': '/admin/aliases',
  '/jobs?status=fail': 'status=fail',
  '/batches?status=open': 'status=open',
  '/webhooks?state=failed': 'state=failed',
  '/audit?action=key.create': 'action=key.create',
  '/alerts?state=open': 'state=open',
}

consoleTest('every list has a CSV of the whole filter', async ({ page, base }) => {
  for (const [path, part] of Object.entries(LISTS)) {
    await page.goto(base + path)
    const link = page.getByRole('link', { name: 'CSV of all filtered rows' }).first()
    const href = await link.getAttribute('href')
    assert.ok(href!.includes(part) && href!.includes('format=csv'), `${path}: ${href}`)
    const answer = await page.request.get(base + href!)
    assert.equal(answer.status(), 200, `${path}: ${await answer.text()}`)
    assert.match(answer.headers()['content-disposition']!, /\.csv/)
  }
})
