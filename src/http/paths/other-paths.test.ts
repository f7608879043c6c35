import assert from 'node:assert/strict'
import { test } from 'node:test'
import { API_ROUTES } from '../routes/api-routes.ts'
import { deploymentIn, documentedUrl, routedUrl } from './other-paths.ts'
import { rightPath } from './right-path.ts'

const PREFIXES = ['/v1', '/v3/v1', '/openai/v1', '/anthropic', '/anthropic/v1', '/v3/llm', '/v3/openai/v1', '/v1/v1']

test('every documented path stays as it is', () => {
  for (const { path } of API_ROUTES) assert.equal(documentedUrl(path), path)
})

test('every path below /v3 is found below every prefix, with a slash at its end and with a query', () => {
  const paths = API_ROUTES.map(({ path }) => path).filter((path) => path.startsWith('/v3/'))
  for (const path of paths.filter((path) => !path.startsWith('/v3/v1')))
    for (const prefix of PREFIXES) {
      const other = prefix + path.slice('/v3'.length)
      const isForAll = /^\/v3\/models/.test(path) && /v1|anthropic/.test(prefix)
      const expected = isForAll ? path.replace('/v3', '/v3/v1') : path
      assert.equal(documentedUrl(other), expected)
      assert.equal(documentedUrl(`${other}/?a=/v1/&b=?`), `${expected}?a=/v1/&b=?`)
    }
})

test('the messages format is found with and without its version', () => {
  for (const prefix of [...PREFIXES, '/v3']) {
    assert.equal(documentedUrl(`${prefix}/messages?beta=true`), '/v3/v1/messages?beta=true')
    assert.equal(documentedUrl(`${prefix}/messages/count_tokens/`), '/v3/v1/messages/count_tokens')
  }
  assert.equal(documentedUrl('/v3/messagesx'), '/v3/messagesx')
})

test('addresses of Google are found with every version, with and without `models`', () => {
  for (const prefix of ['/v1beta', '/v3/v1beta', '/v1alpha', '/v3/v1beta1', '/v1', '/v3/v1']) {
    const url = `${prefix}/models/a/b:streamGenerateContent?alt=sse`
    assert.equal(documentedUrl(url), '/v3/v1beta/models/a/b:streamGenerateContent?alt=sse')
    assert.equal(routedUrl(url), '/v3/v1beta/streamGenerateContent/a%2Fb?alt=sse')
  }
  assert.equal(routedUrl('/v3/v1beta/a/b:countTokens'), '/v3/v1beta/countTokens/a%2Fb')
  assert.equal(routedUrl('/v1beta/models/a%2Fb%3AgenerateContent'), '/v3/v1beta/generateContent/a%2Fb')
  assert.equal(routedUrl('/v1beta/models/amazon/x-v1:0:generateContent'), '/v3/v1beta/generateContent/amazon%2Fx-v1:0')
  assert.equal(routedUrl('/v1beta/models/a/b:predict'), '/v3/v1beta/models/a/b:predict')
  assert.equal(documentedUrl('/v1beta/openai/chat/completions'), '/v3/chat/completions')
})

test("the list of models at /v1 is Google's for its clients", () => {
  const google = { 'x-goog-api-key': 'x' }
  for (const prefix of ['/v1', '/v3/v1'])
    for (const rest of ['/models', '/models/a/b', '/models/?pageSize=1']) {
      const end = rest.replace('/?', '?')
      assert.equal(documentedUrl(prefix + rest, google), `/v3/v1beta${end}`)
      assert.equal(documentedUrl(prefix + rest), `/v3/v1${end}`)
    }
  assert.equal(documentedUrl('/v3/models', google), '/v3/models')
})

test("the paths of Azure's clients name a deployment, and its version is left out", () => {
  for (const prefix of ['/openai', '/v3/openai', '/openai/v1', '/v3', ''])
    for (const end of ['/chat/completions', '/embeddings', '/images/edits', '/audio/transcriptions'])
      for (const [written, name] of [
        ['our-chat', 'our-chat'],
        ['openai%2Fgpt-4o', 'openai/gpt-4o'],
        ['openai/gpt-4o', 'openai/gpt-4o'],
        ['100%', '100%'],
      ] as const) {
        const url = `${prefix}/deployments/${written}${end}`
        assert.equal(documentedUrl(`${url}?api-version=2024-10-21`), `/v3${end}`)
        assert.equal(documentedUrl(`${url}/?a=1&api-version=2024-10-21&b=2`), `/v3${end}?a=1&b=2`)
        assert.equal(deploymentIn(`${url}?api-version=2024-10-21`), name)
      }
  assert.equal(documentedUrl('/openai/responses?api-version=preview'), '/v3/responses')
  for (const url of [
    '/v3/chat/completions',
    '/v3/files/deployments/x',
    '/openai/deployments/x/files',
    '/openai/deployments',
  ])
    assert.equal(deploymentIn(url), undefined)
})

test('what is not below a known prefix stays as it is', () => {
  for (const url of ['/', '/v3', '/docs', '/health/live', '/results/x?sig=/v1/', '*', '/v2/models', '/v1x/models', ''])
    assert.equal(documentedUrl(url), url)
})

test('a wrong path names the right one', () => {
  const meant = (path: string) => rightPath(path, API_ROUTES)
  assert.equal(meant('/chat/completions'), '/v3/chat/completions')
  assert.equal(meant('/api/v1/chat/completions'), '/v3/chat/completions')
  assert.equal(meant('/v3/chat/completion'), '/v3/chat/completions')
  assert.equal(meant('/v2/embeddings'), '/v3/embeddings')
  assert.equal(meant('/messages'), '/v3/v1/messages')
  assert.equal(meant('/Healt/live'), '/health/live')
  for (const path of ['/nonexistent', '/v3/nothing', '/favicon.ico', `/${'a/'.repeat(40)}`, `/${'a'.repeat(5_000)}`])
    assert.equal(meant(path), undefined, path)
})
