import assert from 'node:assert/strict'
import { startMcpServer } from '../fakes/mcp-server.ts'
import { consoleTest, endShared } from './checked-page.ts'

endShared()

const SECRET = 'a-secret-of-the-console-test'

consoleTest(
  'a server is added with its credential, changed and removed, and its secret is never shown',
  async (console) => {
    const { page, base, owner } = console
    const server = await startMcpServer()
    try {
      await page.goto(`${base}/mcp`)
      await page.getByRole('heading', { name: 'No MCP servers yet' }).waitFor()
      await page.getByRole('button', { name: 'New server' }).click()
      await page.getByRole('textbox', { name: 'Name' }).fill('tickets')
      await page.getByRole('textbox', { name: 'Address' }).fill(server.url)
      await page.getByLabel(/^Credential/).fill(SECRET)
      await page.getByRole('textbox', { name: 'Denied tools' }).fill('slow')
      await page.getByRole('button', { name: 'Add server' }).click()
      await page.getByRole('link', { name: 'tickets' }).click()
      const drawer = page.getByRole('dialog')
      await drawer.getByText('sent as a bearer token').waitFor()
      await drawer.getByText('/v3/mcp/tickets').waitFor()
      assert.ok(!(await page.content()).includes(SECRET))
      await drawer.locator('summary').filter({ hasText: 'slow' }).getByText('not allowed').waitFor()
      await drawer.locator('summary').filter({ hasText: 'find' }).click()
      await drawer.getByText('"required"').waitFor()
      await drawer.getByRole('button', { name: 'Try find' }).click()
      await page.getByLabel('Arguments, as JSON').fill('{"word": "gates"}')
      await page.getByLabel('Billed to').selectOption('default')
      await page.getByRole('button', { name: 'Call tool' }).click()
      await page.getByText('Ticket 7 is about gates.').waitFor()
      assert.deepEqual(server.calls(), ['find({"word":"gates"})'])
      await page.keyboard.press('Escape')
      await page.getByLabel('Arguments, as JSON').waitFor({ state: 'detached' })
      await drawer.getByRole('button', { name: 'Edit' }).click()
      await page.getByRole('combobox', { name: 'Available to' }).selectOption('some')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Choose who may use the server.').waitFor()
      await page.getByRole('combobox', { name: 'Project', exact: true }).selectOption('default')
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      await page.getByRole('button', { name: 'Remove project default' }).waitFor()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
      const { body } = await owner('GET', '/admin/mcp/servers/tickets')
      assert.deepEqual([body.applies_to, body.has_credential, body.tools.deny], [['project:default'], true, ['slow']])
      await page.goto(`${base}/mcp?server=tickets`)
      await page.getByRole('button', { name: 'Remove' }).click()
      await page.getByRole('button', { name: 'Remove server' }).click()
      await page.getByRole('heading', { name: 'No MCP servers yet' }).waitFor()
    } finally {
      await server.close()
    }
  },
)
