import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { leftOut } from '../../console/screens/requests/content/left-out.ts'
import { turnsOf } from '../../console/screens/requests/content/turns.ts'
import { invited, PASSWORD } from '../gateway/people-under-test.ts'
import { type ConsolePage, consoleTest, endShared } from './checked-page.ts'
import { HOSTILE } from './seed.ts'

// What was asked and answered, on the screen of a request.

endShared()

const PNG = `data:image/png;base64,${'iVBORw0KGgo'.repeat(200)}`
const CALL = { id: 'call_1', type: 'function', function: { name: HOSTILE, arguments: `{"city":"${'x'.repeat(9)}"}` } }
const MESSAGES = [
  { role: 'system', content: 'You are brief.' },
  { role: 'user', content: [{ type: 'text', text: 'What is the weather?' }, image(PNG)] },
  { role: 'assistant', content: null, tool_calls: [CALL] },
  { role: 'tool', tool_call_id: 'call_1', content: `tool says ${HOSTILE}` },
  { role: 'user', content: `prompt says ${HOSTILE} ${'and more '.repeat(100)}` },
]

consoleTest('content is shown only after a click, readable, as text, with what is missing', async (console) => {
  const { page, base, owner } = console
  const id = await kept(console, { mode: 'full', bytes_per_field: 100 }, MESSAGES)
  const readings = async () => (await owner('GET', '/admin/audit?action=content.read')).body.items.length
  const before = await readings()
  await page.goto(`${base}/requests?call=${id}`)
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Show content' }).waitFor()
  assert.equal(await dialog.getByText('tool says').count(), 0)
  assert.equal(await readings(), before, 'to look at a call is not to read its content')
  await dialog.getByRole('button', { name: 'Show content' }).click()
  const request = dialog.getByRole('region', { name: 'Request' })
  await request.getByText('You are brief.', { exact: true }).waitFor()
  await request.getByText(`tool says ${HOSTILE}`, { exact: true }).waitFor()
  await request.getByText(`Calls ${HOSTILE}`, { exact: true }).waitFor()
  await request.getByText('Result of call_1').waitFor()
  await request.getByText(/^prompt says .*… \[cut, it had \d+ characters\]$/).waitFor()
  await dialog.getByText('2 texts are cut', { exact: false }).waitFor()
  await dialog.getByText('about images, files or audio', { exact: false }).waitFor()
  await dialog.getByText('Kept as it was sent.', { exact: false }).waitFor()
  await dialog.getByRole('region', { name: 'Answer' }).getByText('prompt says', { exact: false }).first().waitFor()
  assert.equal(await request.getByText('"messages"').isVisible(), false, 'the JSON is folded')
  await request.getByText('Request as JSON').click()
  await request.getByText('"messages"').waitFor()
  const replay = await dialog.locator('pre', { hasText: 'curl' }).innerText()
  assert.match(replay, /You are brief\./, 'the command has the body that was kept')
  assert.equal(await page.locator('img').count(), 0)
  assert.match(await page.title(), /Requests/)
  assert.equal(await readings(), before + 1)
})

consoleTest('if nothing was kept, the screen says how a project keeps it', async (console) => {
  const { page, base } = console
  const id = await kept(console, { mode: 'off' }, MESSAGES)
  await page.goto(`${base}/requests?call=${id}`)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Not kept. To keep requests and answers', { exact: false }).waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Show content' }).count(), 0)
  await dialog.getByRole('link', { name: 'settings of the project' }).click()
  await page.waitForURL(/projects\?project=content-/)
  await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('combobox', { name: 'Request content' }).waitFor()
})

consoleTest(
  'a person who may not read content is told so, and is offered nothing',
  async (console) => {
    const { page, base, owner, gateway } = console
    const id = await kept(console, { mode: 'full' }, MESSAGES)
    const { body: call } = await owner('GET', `/admin/requests/${id}`)
    const email = `${randomUUID()}@example.com`
    await invited(owner, gateway, { email, role: 'manager', project: call.project })
    await page.context().request.post(`${base}/admin/sessions`, { data: { email, password: PASSWORD } })
    await page.goto(`${base}/requests?call=${id}`)
    const dialog = page.getByRole('dialog')
    await dialog.getByText("You don't have access to this content", { exact: false }).waitFor()
    assert.equal(await dialog.getByRole('button', { name: 'Show content' }).count(), 0)
    await owner('PATCH', `/admin/projects/${call.project}`, { content: { mode: 'full', managers_read: true } })
    await page.reload()
    await dialog.getByRole('button', { name: 'Show content' }).click()
    await dialog.getByText('You are brief.', { exact: true }).waitFor()
  },
  { signedIn: false },
)

const CONVERSATIONS: [name: string, value: unknown, lines: string[]][] = [
  [
    'a request of messages',
    {
      system: [{ type: 'text', text: 'S' }],
      messages: [
        { role: 'user', content: 'Q' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'R' }] }] },
      ],
    },
    ['system: S', 'user: Q', 'assistant: [Calls f] {\n  "a": 1\n}', 'user: [Result of t1] R'],
  ],
  [
    'an answer of messages',
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'T' },
        { type: 'text', text: 'A' },
      ],
    },
    ['assistant: [Thinking] T | A'],
  ],
  [
    'a request of responses',
    {
      instructions: 'S',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Q' }] },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'R' },
      ],
    },
    ['system: S', 'user: Q', 'assistant: [Calls f] {}', 'tool: [Result of c] R'],
  ],
  ['a text for responses', { input: 'Q' }, ['user: Q']],
  [
    'an answer of responses',
    { output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'A' }] }] },
    ['assistant: A'],
  ],
  [
    'a request of Gemini',
    {
      systemInstruction: { parts: [{ text: 'S' }] },
      contents: [
        { parts: [{ text: 'Q' }] },
        { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { ok: true } } }] },
      ],
    },
    ['system: S', 'user: Q', 'model: [Calls f] {}', 'user: [Result of f] {\n  "ok": true\n}'],
  ],
  ['an answer of Gemini', { candidates: [{ content: { role: 'model', parts: [{ text: 'A' }] } }] }, ['model: A']],
  ['completions', { prompt: 'Q', choices: [{ text: 'A' }] }, ['user: Q', 'assistant: A']],
  [
    'a stream',
    { choices: [{ content: 'A', tool_calls: [{ name: 'f', arguments: '{"b":2}' }] }] },
    ['assistant: A | [Calls f] {"b":2}'],
  ],
]
for (const [name, value, lines] of CONVERSATIONS)
  test(`${name} is read as a conversation`, () => {
    const parts = (turn: ReturnType<typeof turnsOf>[number]) =>
      turn.parts.map(({ title, text }) => (title === undefined ? text : `[${title}] ${text}`)).join(' | ')
    assert.deepEqual(
      turnsOf(value).map((turn) => `${turn.role}: ${parts(turn)}`),
      lines,
    )
  })

test('what is no conversation, or a broken one, is not read and does no harm', () => {
  for (const value of [null, 'text', 5, [], {}, { input: { text: 'Q' } }, { messages: 'x', output: null }])
    assert.deepEqual(turnsOf(value), [], JSON.stringify(value))
  const odd = [null, 7, { role: 3 }, { content: [null, 5, { type: 4 }], tool_calls: [null, 'x', { function: 1 }] }]
  assert.deepEqual(
    turnsOf({ messages: odd }).map(({ role, parts }) => [role, parts.length]),
    [['user', 6]],
  )
})

test('everything that is missing in a content is told', () => {
  const value = {
    a: 'x… [cut, it had 900 characters]',
    b: [{ url: '[image/png, 12 bytes]' }, 'See [audio/wav, 3 bytes] here'],
    headers: '[hidden]',
    rest: ['[omitted]', '[omitted]'],
  }
  const said = leftOut(value, null)
  assert.deepEqual(
    said.map((sentence) => sentence.slice(0, 20).trim()),
    ['One text is cut: the', '2 texts are about im', 'One text is hidden t', '2 texts are left out'],
  )
  assert.deepEqual(leftOut({ a: 'nothing [is] missing' }), [])
})

function image(url: string) {
  return { type: 'image_url', image_url: { url } }
}

/** Returns the id of a call in a new project with these settings. */
async function kept({ owner, gateway }: ConsolePage, content: object, messages: object[]): Promise<string> {
  const project = `content-${randomUUID().slice(0, 8)}`
  await owner('POST', '/admin/projects', { id: project, name: project })
  assert.equal((await owner('PATCH', `/admin/projects/${project}`, { content })).status, 200)
  const { body: key } = await owner('POST', '/admin/keys', { name: project, project })
  const headers = { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'sandbox/echo', messages })
  const answer = await fetch(`${gateway.url}/v3/chat/completions`, { method: 'POST', headers, body })
  await answer.text()
  assert.equal(answer.status, 200)
  await gateway.gateway.services.calls.contents.written()
  return answer.headers.get('x-request-id')!
}
