import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { toolCaller } from '../../fakes/tool-caller.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { CLIENT_FORMATS } from '../../gateway/client-formats.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { type GatewayWithTools, startGatewayWithTools } from '../../gateway/gateway-with-tools.ts'

// What the request log keeps of the tools that the gateway has run for a chat.

const LABEL = { type: 'mcp', server_label: 'tickets', require_approval: 'never' }
const TOOLS: Record<string, object> = {
  chat: { tools: [LABEL] },
  messages: {
    mcp_servers: [{ type: 'url', name: 'tickets' }],
    tools: [{ type: 'mcp_toolset', mcp_server_name: 'tickets' }],
  },
  responses: { tools: [LABEL] },
  gemini: { tools: [{ mcpServers: [{ name: 'tickets' }] }] },
  cohere: { tools: [LABEL] },
}
type Asked = { isStream: boolean; post_hooks?: object[] }
const WORD = 'ada@example.org'

describe('a chat of a project that keeps contents', () => {
  let setup: GatewayWithTools
  before(async () => {
    setup = await startGatewayWithTools()
    setup.model.always(toolCaller([{ calls: [['tickets__find', { word: WORD }]] }, { text: 'Done.' }]))
  })
  after(() => setup.close())

  for (const [name, tools] of Object.entries(TOOLS))
    for (const isStream of [true, false])
      test(`is kept with the arguments and results of its tools: ${name}, ${isStream ? 'streamed' : 'whole'}`, async () => {
        const answer = await kept('full', name, { ...tools, isStream })
        assert.match(answer, /"(input|arguments)":"?\{\\?"word\\?":\\?"ada@example\.org\\?"\}/)
        assert.match(answer, /Ticket 7 is about ada@example\.org\./)
        assert.match(answer, /"(content|text)":"Done\."/)
        assert.equal(answer.match(/Ticket 7/g)!.length, 1)
      })

  for (const name of ['chat', 'gemini'])
    for (const isStream of [true, false]) {
      const how = `${name}, ${isStream ? 'streamed' : 'whole'}`
      test(`is kept without personal data, if the project wants that: ${how}`, async () => {
        const answer = await kept('redacted', name, { ...TOOLS[name], isStream })
        assert.match(answer, /Ticket 7 is about /)
        assert.doesNotMatch(answer, /ada@/)
      })

      test(`is kept without what tools have said, if a hook filters its answer: ${how}`, async () => {
        const answer = await kept('full', name, { ...TOOLS[name], isStream, post_hooks: [{ action: 'redact_pii' }] })
        assert.match(answer, /"(content|text)":"Done\."/)
        assert.doesNotMatch(answer, /Ticket 7|ada@/)
      })
    }

  /** What is kept of the answer. */
  async function kept(mode: string, name: string, { isStream, ...more }: Asked): Promise<string> {
    const admin = adminClient(setup.gateway.adminUrl)
    assert.equal((await admin.patch('/admin/projects/default', { content: { mode } })).status, 200)
    const format = CLIENT_FORMATS[name]!
    const reply = await fetch(setup.gateway.url + format.path('fake/priced', isStream), {
      method: 'POST',
      headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...format.body('fake/priced', isStream), ...more }),
    })
    assert.equal(reply.status, 200, await reply.text())
    const path = `/admin/requests/${reply.headers.get('x-request-id')}/content`
    while ((await admin.get(path)).status === 404) await sleep(50)
    return JSON.stringify((await admin.get<{ answer: unknown }>(path)).body.answer)
  }
})
