import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { freePort } from '../../src/platform/net/free-port.ts'
import { startMcpServer } from '../fakes/mcp-server.ts'
import { consoleTest, endShared } from './checked-page.ts'
import { HOSTILE } from './seed.ts'

// MCP servers in chats of the playground. The model `sandbox/tools` calls the first tool that it is offered.

endShared()

const said = (word: unknown) => `Ticket 7 is about ${word}. ${HOSTILE}`
const object = { type: 'object', properties: {} }
const TOOLS = {
  find: {
    description: 'Finds tickets.',
    schema: { ...object, properties: { word: { type: 'string' } }, required: ['word'] },
    run: ({ word }: Record<string, unknown>) => said(word),
  },
  fail: {
    description: 'Fails.',
    schema: object,
    run: () => {
      throw new Error('the database is on fire')
    },
  },
}

consoleTest('servers are ticked, and the answer shows what the gateway has called', async (console) => {
  const { page, base, owner } = console
  const server = await startMcpServer('both', TOOLS)
  const { url } = server
  const servers = [
    { name: 'tickets', url, tools: { allow: ['find'] }, price_per_call: 0.5 },
    { name: 'broken', url, tools: { allow: ['fail'] }, applies_to: ['project:search'] },
    { name: 'away', url: `http://127.0.0.1:${await freePort('127.0.0.1', 0)}/mcp` },
    { name: 'elsewhere', url, applies_to: ['project:support'] },
  ]
  for (const one of servers) assert.equal((await owner('POST', '/admin/mcp/servers', one)).status, 201)
  try {
    await page.goto(`${base}/playground?models=sandbox/tools&project=search`)
    const choices = page.getByRole('group', { name: 'MCP servers' })
    await choices.getByText('could not be reached').waitFor()
    assert.deepEqual((await choices.getByRole('checkbox').all()).length, 3, 'that of another project is not there')

    await choices.getByLabel('tickets').check()
    await say(page, 'Oslo')
    const first = page.getByRole('article').first()
    const call = first.locator('details').filter({ hasText: 'tickets' })
    await call
      .locator('summary')
      .getByText(/\d+ ms, \$0\.50$/)
      .waitFor()
    await call.locator('summary').click()
    const input = await call.getByLabel('the arguments of find').and(page.getByRole('group')).innerText()
    assert.deepEqual(server.calls(), [`find(${JSON.stringify(JSON.parse(input))})`])
    const result = await call.getByLabel('the result of find').and(page.getByRole('group')).innerText()
    assert.equal(result, said(JSON.parse(input).word))
    assert.equal(await page.locator('img').count(), 0)
    assert.equal(
      await page.getByRole('button', { name: 'Send tool results' }).count(),
      0,
      'the person does not answer for the tool',
    )

    await choices.getByLabel('tickets').uncheck()
    await choices.getByLabel('broken').check()
    await say(page, 'Bergen')
    const failed = page.getByRole('article').nth(1).locator('details').filter({ hasText: 'broken' })
    await failed.locator('summary').getByText('failed').waitFor()
    await failed.locator('summary').click()
    await failed.getByText('the database is on fire').waitFor()

    await page.getByRole('button', { name: 'Open as code' }).click()
    const code = page.getByLabel('Samples').locator('pre')
    for (const part of ['"server_label"', '"provider_content"', 'Ticket 7'])
      assert.ok((await code.innerText()).includes(part), part)
    await page.getByLabel('Format').selectOption('messages')
    for (const part of ['"mcp_servers"', '"mcp_toolset"']) assert.ok((await code.innerText()).includes(part), part)
    await page.keyboard.press('Escape')

    await page.getByLabel('Billed to').selectOption('support')
    await choices.getByLabel('elsewhere').waitFor()
    assert.equal(await choices.getByLabel('broken').count(), 0)
    await page.getByLabel('Billed to').selectOption('search')
    await choices.getByLabel('broken').waitFor()
    assert.ok(!(await choices.getByLabel('broken').isChecked()), 'it does not come back by itself')
  } finally {
    for (const { name } of servers) await owner('DELETE', `/admin/mcp/servers/${name}`)
    await server.close()
  }
})

async function say(page: Page, text: string): Promise<void> {
  const before = await page.getByRole('article').count()
  await page.getByLabel('Message').fill(text)
  await page.keyboard.press('Enter')
  await page.getByRole('article').nth(before).getByRole('link', { name: 'Request' }).waitFor()
}
