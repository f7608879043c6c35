import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Send, WireRequest } from '../../translation/wire/wire.ts'
import { fetchDocument } from './fetch-document.ts'

const SECURE = 'https://catalog.test/latest'
type Reply = { status: number; headers?: Record<string, string>; text?: string }

test('the tag of the last document is sent, and an unchanged one is nothing new', async () => {
  const { send, requests } = server([{ status: 200, headers: { etag: '"1"' }, text: 'hello' }, { status: 304 }])
  assert.deepEqual(await fetchDocument(SECURE, { send, maxBytes: 10 }), { text: 'hello', etag: '"1"' })
  assert.equal(await fetchDocument(SECURE, { send, maxBytes: 10, etag: '"1"' }), undefined)
  assert.deepEqual(
    requests.map(({ headers }) => headers['if-none-match']),
    [undefined, '"1"'],
  )
})

test('redirects are followed, relative ones too, but not for ever', async () => {
  const moved = { status: 302, headers: { location: '/other' } }
  const { send, requests } = server([moved, { status: 200, text: 'x' }])
  await fetchDocument(SECURE, { send, maxBytes: 10 })
  assert.equal(requests[1]?.url, 'https://catalog.test/other')
  await assert.rejects(
    fetchDocument(SECURE, { send: server([moved, moved, moved, moved]).send, maxBytes: 10 }),
    /too many/,
  )
})

for (const location of ['http://catalog.test/x', 'file:///etc/passwd', 'data:text/plain,x']) {
  test(`a redirect from https to ${location} is refused`, async () => {
    const { send, requests } = server([{ status: 302, headers: { location } }])
    await assert.rejects(fetchDocument(SECURE, { send, maxBytes: 10 }), /not secure/)
    assert.equal(requests.length, 1)
  })
}

test('an error status and a document beyond the limit are refused', async () => {
  await assert.rejects(fetchDocument(SECURE, { send: server([{ status: 404 }]).send, maxBytes: 10 }), /answered 404/)
  const { send } = server([{ status: 200, text: 'x'.repeat(11) }])
  await assert.rejects(fetchDocument(SECURE, { send, maxBytes: 10 }))
})

function server(replies: Reply[]): { send: Send; requests: WireRequest[] } {
  const requests: WireRequest[] = []
  const send: Send = async (request) => {
    requests.push(request)
    const { status, headers = {}, text = '' } = replies.shift()!
    return { status, headers, body: bodyOf(text) }
  }
  return { send, requests }
}

async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
