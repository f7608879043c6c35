import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatIssues, furtherChatIssues } from './chat-rules.ts'

test('without extra headers there are no issues', () => {
  assert.deepEqual(chatIssues({}), [])
  assert.deepEqual(chatIssues({ extra_headers: null }), [])
  assert.deepEqual(chatIssues({ extra_headers: {} }), [])
})

test('ordinary headers pass', () => {
  const extra_headers = {
    'anthropic-beta': 'a,b',
    'X-Title': 'Café\tbar',
    'OpenAI-Beta': 'assistants=v2',
    'HTTP-Referer': 'https://a.test',
    'X-OpenRouter-Title': 'mine',
    'User-Agent': 'mine',
    'x-session-affinity': 'a',
    traceparent: '00-1-2-01',
    'x-request-tag': '1',
  }
  assert.deepEqual(chatIssues({ extra_headers }), [])
})

test('headers of the gateway are refused at their path, in any case', () => {
  const names = [
    ...['Authorization', 'X-API-Key', 'api-key', 'x-goog-api-key', 'Proxy-Authorization', 'proxy-anything', 'Cookie'],
    ...['HOST', 'Content-Length', 'content-type', 'Transfer-Encoding', 'Connection', 'Keep-Alive', 'TE', 'Trailer'],
    ...['Upgrade', 'Expect', 'Forwarded', 'X-Forwarded-For', 'x-forwarded-host', 'X-Amz-Security-Token', 'x-amz-date'],
    ...['Metadata-Flavor', 'X-aws-ec2-metadata-token', 'x-aws-ec2-metadata-token-ttl-seconds', 'X_Api_Key'],
  ]
  for (const name of names) {
    assert.deepEqual(places({ fine: 'x', [name]: 'x' }), [['body', 'extra_headers', name]], name)
  }
})

test('headers that choose an account, a project, an organization, a method or a model are refused', () => {
  const names = [
    ...['OpenAI-Organization', 'openai_organization', 'OpenAI-Project', 'x-goog-user-project', 'X-HF-Bill-To'],
    ...['X-HTTP-Method-Override', 'X-HTTP-Method', 'x_method_override', 'X-Original-URL', 'X-Rewrite-URL'],
    ...[
      'x-portkey-config',
      'x-litellm-tags',
      'Helicone-Fallbacks',
      'cf-aig-authorization',
      'ai-model-id',
      'x-tenant-id',
    ],
    ...['azureml-model-deployment', 'x-ms-region', 'X-Amzn-Bedrock-Service-Tier', 'x-vertex-ai-llm-request-type'],
    ...['X-Friendli-Team', 'X-DashScope-WorkSpace', 'opc-compartment-id', 'x-accountid', 'anthropic-workspace-id'],
    ...['xi-api-key', 'x-key', 'mmt-apikey', 'x-gladia-key', 'licensecode', 'X-Fal-Webhook', 'x-callback-url'],
    ...['Idempotency-Key', 'x-snowflake-role', 'x-billing-id', 'x-subscription', 'x-quota-user'],
  ]
  for (const name of names) assert.deepEqual(places({ [name]: 'x' }), [['body', 'extra_headers', name]], name)
})

test('the issue says why a header is refused', () => {
  const [issue] = chatIssues({ extra_headers: { 'OpenAI-Project': 'proj_1' } })
  assert.equal(issue?.msg, 'This header may not be given: it chooses the account, project or organization that pays')
})

test('names that are not tokens are refused', () => {
  for (const name of ['', 'a b', 'a:', ':path', 'a\r\nb', 'é', 'a"', 'a/b', 'a\0']) {
    assert.deepEqual(places({ [name]: 'x' }), [['body', 'extra_headers', name]])
  }
})

test('values that could break out of their line, or that are not Latin-1, are refused', () => {
  for (const value of ['a\r\nAuthorization: x', 'a\nb', 'a\rb', 'a\0', 'a\x7f', 'a\n', '€', '😀']) {
    assert.deepEqual(places({ 'x-a': value }), [['body', 'extra_headers', 'x-a']])
  }
})

test('every bad header is named', () => {
  assert.equal(chatIssues({ extra_headers: { host: 'x', 'a b': 'x', ok: 'x', 'x-a': '\n' } }).length, 3)
})

test('there may be 50 headers and no more', () => {
  assert.deepEqual(places(many(50)), [])
  assert.deepEqual(places({ ...many(50), host: 'x' }), [['body', 'extra_headers']])
})

function places(extra_headers: Record<string, string>) {
  return chatIssues({ extra_headers }).map((issue) => issue.loc)
}

function many(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, 'x']))
}

test('extra_body may not replace fields that the gateway reads', () => {
  for (const field of ['model', 'messages', 'stream', 'stream_options', 'fallbacks', 'pre_hooks', 'extra_headers']) {
    const issues = chatIssues({ extra_body: { [field]: 'x', top_k: 3 } })
    assert.deepEqual(
      issues.map(({ loc, type }) => ({ loc, type })),
      [{ loc: ['body', 'extra_body', field], type: 'value_error' }],
    )
  }
  assert.deepEqual(chatIssues({ extra_body: { top_k: 3, n: 2 } }), [])
})

test('a request with other issues is checked too, as far as possible', () => {
  const extra_headers = { host: 'x', authorization: 5, 'x-fine': 'x' }
  assert.deepEqual(
    furtherChatIssues({ temperature: 3, extra_headers, extra_body: { model: 'x' } }).map(({ loc }) => loc),
    [
      ['body', 'extra_headers', 'host'],
      ['body', 'extra_body', 'model'],
    ],
  )
  for (const body of [undefined, null, 5, [], {}, { extra_headers: [], extra_body: 'x' }])
    assert.deepEqual(furtherChatIssues(body), [])
})
