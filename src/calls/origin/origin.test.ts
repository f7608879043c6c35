import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Problem } from '../../contract/problems.ts'
import { clientIn } from './client-programs.ts'
import { MAX_SESSION_CHARS, NO_ORIGIN, originOf } from './origin.ts'

const OLD_USER = 'user_a1b2_account_9f_session_7d1e'
const USER = JSON.stringify({ device_id: 'd', account_uuid: '', session_id: 'from-user' })

test('a session is the first of body, header, headers of agents, metadata and prompt cache key', () => {
  const sources: [Record<string, string>, Record<string, unknown>, string][] = [
    [{}, { prompt_cache_key: 'from-key' }, 'from-key'],
    [{}, { metadata: { user_id: USER } }, 'from-user'],
    [{}, { metadata: { user_id: OLD_USER } }, '7d1e'],
    [{}, { metadata: { session_id: 'from-metadata' } }, 'from-metadata'],
    [{ 'thread-id': 'from-thread' }, {}, 'from-thread'],
    [{ conversation_id: 'from-conversation' }, {}, 'from-conversation'],
    [{ session_id: 'from-codex' }, {}, 'from-codex'],
    [{ 'session-id': 'from-new-codex' }, {}, 'from-new-codex'],
    [{ 'x-session-affinity': 'from-opencode' }, {}, 'from-opencode'],
    [{ 'x-claude-code-session-id': 'from-claude' }, {}, 'from-claude'],
    [{ 'x-session-id': 'from-header' }, {}, 'from-header'],
    [{}, { session_id: 'from-body' }, 'from-body'],
  ]
  let headers: Record<string, string> = {}
  let body: Record<string, unknown> = {}
  for (const [moreHeaders, moreBody, session] of sources) {
    headers = { ...headers, ...moreHeaders }
    const metadata = { ...(body.metadata as object), ...(moreBody.metadata as object) }
    body = { ...body, ...moreBody, metadata }
    assert.equal(originOf(headers, body).session, session)
    assert.equal(originOf(moreHeaders, moreBody).session, session)
  }
})

test('what is no text, empty or of another form is no session', () => {
  for (const body of [undefined, null, [], 'x', { session_id: 7 }, { session_id: '' }, { metadata: ['a'] }])
    assert.deepEqual(originOf({}, body), NO_ORIGIN)
  for (const user_id of ['mia', 'x_session_y', '{', '{"session_id": 5}', `{"session_id": "${'x'.repeat(2_000)}"}`])
    assert.equal(originOf({}, { metadata: { user_id } }).session, null)
  assert.equal(originOf({ 'x-session-id': ['a', 'b'] }, {}).session, null)
})

test('a long id is refused where it is meant for the gateway, and skipped where it is not', () => {
  const longest = 'x'.repeat(MAX_SESSION_CHARS)
  const long = `${longest}y`
  assert.equal(originOf({ 'x-session-id': longest }, {}).session, longest)
  for (const [headers, body, param] of [
    [{ 'x-session-id': long }, {}, 'x-session-id'],
    [{}, { session_id: long }, 'session_id'],
  ] as const)
    assert.throws(
      () => originOf(headers, body),
      (error) => error instanceof Problem && error.status === 422 && error.message.startsWith(param),
    )
  assert.equal(originOf({ 'x-claude-code-session-id': long }, { prompt_cache_key: 'k' }).session, 'k')
  assert.equal(originOf({}, { prompt_cache_key: long }).session, null)
})

test('control characters do not get into logs', () => {
  assert.equal(originOf({}, { session_id: 'a\u0000\u001b[2Jb\ud800' }).session, 'a��[2Jb�')
})

test('agents and the agents that started them', () => {
  const claude = { 'x-claude-code-agent-id': 'a1', 'x-claude-code-parent-agent-id': 'a0' }
  assert.deepEqual(originOf(claude, {}), { ...NO_ORIGIN, agent: 'a1', parentAgent: 'a0' })
  const codex = { 'x-openai-subagent': 'review', 'x-codex-parent-thread-id': 't0' }
  assert.deepEqual(originOf(codex, {}), { ...NO_ORIGIN, agent: 'review', parentAgent: 't0' })
})

test('programs are known by what they say about themselves', () => {
  const agents: [string, string | null][] = [
    ['claude-cli/2.1.195 (external, cli)', 'claude-code'],
    ['codex_cli_rs/0.160.0 (Ubuntu 24.4.0; x86_64) xterm', 'codex'],
    ['codex-tui/0.1', 'codex'],
    ['GeminiCLI/0.9.0/gemini-3-pro (linux; x64)', 'gemini-cli'],
    ['opencode/1.0.1 ai-sdk/provider-utils/3.0', 'opencode'],
    ['Cline/3.2', 'cline'],
    ['Cursor/1.9', 'cursor'],
    ['aider/0.86', 'aider'],
    ['Zed/0.210.0 (linux; x86_64)', 'zed'],
    ['GitHubCopilotChat/0.30', 'copilot'],
    ['OpenAI/Python 2.6.1', 'openai-python'],
    ['AsyncOpenAI/Python 2.6.1', 'openai-python'],
    ['OpenAI/JS 6.1.0', 'openai-node'],
    ['Anthropic/Python 0.71', 'anthropic-python'],
    ['google-genai-sdk/1.40 gl-python/3.13', 'google-genai'],
    ['curl/8.5.0', 'curl'],
    ['inline-editor/1', null],
    ['myprogram/1.0', null],
    ['', null],
  ]
  for (const [agent, client] of agents) assert.equal(clientIn({ 'user-agent': agent }), client, agent)
})

test('what a program says on purpose wins over what its library says', () => {
  const library = { 'user-agent': 'OpenAI/JS 6.1.0' }
  assert.equal(clientIn({ ...library, 'x-title': 'Roo Code' }), 'roo-code')
  assert.equal(clientIn({ ...library, 'http-referer': 'https://cline.bot' }), 'cline')
  assert.equal(clientIn({ ...library, 'x-source': 'windsurf' }), 'windsurf')
  assert.equal(clientIn({ ...library, 'x-title': 'My own tool' }), 'openai-node')
})

test('no number of programs fills the memory, and long texts are not searched to their end', () => {
  for (let index = 0; index < 3_000; index++) assert.equal(clientIn({ 'user-agent': `program${index}` }), null)
  assert.equal(clientIn({ 'user-agent': `${'x '.repeat(10_000)}claude-cli/2` }), null)
  assert.equal(clientIn({ 'user-agent': 'claude-cli/2' }), 'claude-code')
})
