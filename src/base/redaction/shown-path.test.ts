import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownPath } from './shown-path.ts'

const KEY = 'gate_live_0123456789ABCDEFGHIJKLMNOPQRST123456'

test('a path is shown as it was requested', () => {
  for (const path of [
    '/',
    '/v3/chat/completion',
    '/v1beta/models/gemini-2.5-flash:generateContent',
    '/v3/models/openai/gpt-4o-mini-2024-07-18',
    '/v3/upload/3f2b8c1e-1f6a-4c77-9d3e-0a1b2c3d4e5f',
    '/v3/models/a%2Fb',
    '/v3/task-providers/key_rotation',
    '/.env',
    '/cgi-bin/../../etc/passwd',
  ])
    assert.equal(shownPath(path), path)
})

test('queries, credentials and keys are hidden, wherever a client writes them', () => {
  const rows: Record<string, string> = {
    '/v1/models?key=AIzaSyA-secret': '/v1/models?***',
    '/v3/chat#token=secret': '/v3/chat?***',
    'http://user:secret@host/path?x=secret': 'http://***@host/path?***',
    'user:secret@host:443': '***@host:443',
    '/v3/user:secret@host/x': '/v3/***@host/x',
    '/v3/user%3Asecret%40host': '/v3/***@host',
    [`/v3/${KEY}/chat`]: '/v3/***/chat',
    [`/v3/Bearer%20${KEY}`]: '/v3/***',
    '/v3/Bearer+some-secret': '/v3/***',
    '/v3/%73k-proj-secretsecret/models': '/v3/***/models',
    '/v3/%20sk-secretsecret': '/v3/ ***',
    '/openai/sk-ant-api03-secret_secret': '/openai/***',
    '/v3/key=secret;x/models': '/v3/key=***;x/models',
    '/v3/api_key=secret&x': '/v3/api_key=***&x',
    '/v1/AIzaSyAsecret-secret': '/v1/***',
    '/x/0123456789abcdef0123456789abcdef01234567/y': '/x/***/y',
    '/x/eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6I': '/x/***.***',
  }
  for (const [url, shown] of Object.entries(rows)) {
    assert.equal(shownPath(url), shown)
    assert.doesNotMatch(shown, /secret/)
  }
})

test('what is long or cannot be decoded is cut', () => {
  assert.equal(shownPath(`/${'a b/'.repeat(300)}`).length, 200)
  assert.equal(shownPath(`/%zz/${KEY}`), '/%zz/***')
  assert.ok(!shownPath(`/${'a/'.repeat(499)}${KEY}`).includes('gate'))
})
