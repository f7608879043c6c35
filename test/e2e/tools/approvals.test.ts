import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { answer } from '../../fakes/behaviours.ts'
import { toolCaller } from '../../fakes/tool-caller.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { type GatewayWithTools, startGatewayWithTools } from '../../gateway/gateway-with-tools.ts'

// Calls of tools that a caller has approved.

type Item = { type: string; id: string; [member: string]: unknown }
type Answer = { id: string; output: Item[] }

const ASKS = toolCaller([{ calls: [['tickets__find', { word: 'gates' }]] }, { text: 'Ticket 7.' }])
const ASKED = { model: 'fake/priced', tools: [{ type: 'mcp', server_label: 'tickets' }] }
const QUESTION = { role: 'user', content: 'Which tickets are about gates?' }
const THANKS = { role: 'user', content: 'Thanks.' }

const GUARDRAILS = [
  { id: 'birds', appliesTo: 'all', action: 'block', checks: [{ check: 'patterns', words: ['falcon'] }] },
  { id: 'pii', appliesTo: 'all', action: 'redact', checks: [{ check: 'personal_data', restore: true }] },
]
const PERSON = 'ada@mail.example'

for (const [where, guardrails] of [
  ['', []],
  [', under guardrails', GUARDRAILS],
] as const)
  describe(`a call of a tool that the caller has approved${where}`, () => {
    let setup: GatewayWithTools
    before(async () => {
      setup = await startGatewayWithTools({ config: { guardrails } })
    })
    beforeEach(() => {
      setup.model.reset()
      setup.server.seen.length = 0
    })
    after(() => setup.close())

    async function ask(body: object): Promise<Answer> {
      const reply = await post('responses', { ...ASKED, ...body })
      const text = await reply.text()
      assert.equal(reply.status, 200, text)
      return JSON.parse(text) as Answer
    }

    function post(path: string, body: object): Promise<Response> {
      return fetch(`${setup.gateway.url}/v3/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${API_KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    }

    /** How a client goes on with a conversation. */
    const WAYS: Record<string, () => Promise<(added: object[]) => Promise<Answer>>> = {
      'names the response before': async () => {
        let previous_response_id: string | undefined
        return async (input) => {
          const made = await ask({ input, previous_response_id })
          previous_response_id = made.id
          return made
        }
      },
      'names the conversation': async () => {
        const { id } = (await (await post('conversations', {})).json()) as Answer
        return (input) => ask({ input, conversation: id })
      },
      'sends all of it': async () => {
        const input: object[] = []
        return async (added) => {
          input.push(...added)
          const made = await ask({ input, store: false, include: ['reasoning.encrypted_content'] })
          input.push(...made.output)
          return made
        }
      },
    }

    for (const [how, begin] of Object.entries(WAYS))
      test(`is made once, and not again for what follows in a conversation whose client ${how}`, async () => {
        const goOn = await begin()
        setup.model.always(ASKS)
        const { output } = await goOn([QUESTION])
        const asked = output.find(({ type }) => type === 'mcp_approval_request')
        assert.ok(asked, JSON.stringify(output))
        assert.deepEqual(setup.server.calls(), [])
        const approval = { type: 'mcp_approval_response', approval_request_id: asked.id, approve: true }
        await goOn([approval])
        assert.deepEqual(setup.server.calls(), ['find({"word":"gates"})'])
        setup.model.always(answer({ content: 'You are welcome.' }))
        for (const _ of [1, 2]) await goOn([THANKS])
        assert.deepEqual(setup.server.calls(), ['find({"word":"gates"})'])
      })

    /** A call that no model has made, with its approval. */
    function approved(word: string): object[] {
      const id = `mcpr_${'a'.repeat(32)}_0`
      const call = { name: 'find', server_label: 'tickets', arguments: JSON.stringify({ word }) }
      return [
        QUESTION,
        { type: 'mcp_approval_request', id, ...call },
        { type: 'mcp_approval_response', approval_request_id: id, approve: true },
      ]
    }

    for (const stream of guardrails.length > 0 ? [false, true] : [])
      test(`has arguments that guardrails let pass, stream: ${stream}`, async () => {
        setup.model.always(ASKS)
        const blocked = await post('responses', { ...ASKED, input: approved('falcon'), stream })
        assert.deepEqual([blocked.status, setup.server.calls()], [403, []])
        const passed = await post('responses', { ...ASKED, input: approved(PERSON), stream })
        assert.equal(passed.status, 200, await passed.text())
        // What callers get back, tools get, too. Models do not.
        assert.deepEqual(setup.server.calls(), [`find({"word":"${PERSON}"})`])
        assert.ok(!setup.model.requests.some(({ text }) => text.includes(PERSON)))
      })
  })
