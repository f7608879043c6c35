import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { acceptsFiles, acceptsTimedFiles } from '../../webhooks/accepts-files.ts'
import { runSnippet, snippetPath, whyNoPython, whyNot } from '../../webhooks/run-snippet.ts'
import { forged, pem, safe, standard, tampered, timed, webhooks } from '../../webhooks/sent-webhooks.ts'

// Runs the verifiers that the documentation prints, unchanged, on webhooks that were really sent. The one for Go is in
// snippets-go.test.ts.

test('the webhooks that the verifiers get were all sent', () =>
  assert.deepEqual([webhooks.length, safe.length, tampered.length], [5, 4, 20]))

test('the signed time is what an independent reader of Standard Webhooks accepts', () => {
  assert.match(standard, /^whpk_[A-Za-z0-9+/]{43}=$/)
  const spki = createPublicKey(pem).export({ type: 'spki', format: 'der' })
  assert.equal(spki.subarray(-32).toString('base64'), standard.slice('whpk_'.length))
  assert.equal(new Set(timed.map(({ headers }) => headers['webhook-id'])).size, timed.length)
  for (const { body, headers } of timed) {
    const [, base64] = /^v1a,([A-Za-z0-9+/]{86}==)$/.exec(headers['webhook-signature']!)!
    const start = `${headers['webhook-id']}.${headers['webhook-timestamp']}.`
    const content = Buffer.concat([Buffer.from(start), Buffer.from(body, 'base64')])
    assert.ok(verify(null, content, pem, Buffer.from(base64!, 'base64')))
  }
})

describe('the verifier for Node', () => {
  test('accepts every webhook by its raw body, and none that was changed', () => acceptsJustGood('node.mjs'))
  test('accepts every signed time that is not too old, and none that was changed', () => acceptsJustFresh('node.mjs'))
  test('accepts webhooks that were parsed', async () => {
    assert.deepEqual(await runSnippet('node.mjs', { verifyParsed: safe }), Array(4).fill(true))
  })
})

describe('the verifier for Python', { skip: whyNoPython() }, () => {
  const why = whyNot('python3', '-c', 'import cryptography')
  test('accepts every webhook by its raw body, and none that was changed', { skip: why }, () =>
    acceptsJustGood('python.py'),
  )
  test('does so without the package, through openssl', () => acceptsJustGood('python.py', '--without-cryptography'))
  test('accepts every signed time that is not too old, and none that was changed', { skip: why }, () =>
    acceptsJustFresh('python.py'),
  )
  test('does so without the package, through openssl 3', { skip: whyNoOpenssl3() }, () =>
    acceptsJustFresh('python.py', '--without-cryptography'),
  )
  test('accepts webhooks that were parsed', async () => {
    assert.deepEqual(await runSnippet('python.py', { verifyParsed: safe }), Array(4).fill(true))
    const [awkward] = webhooks.filter((webhook) => !safe.includes(webhook))
    assert.deepEqual(await runSnippet('python.py', { verifyParsed: [awkward!] }), [false])
  })
})

describe('the verifier for openssl', { skip: whyNot('openssl', 'version') }, () => {
  test('accepts a webhook by its raw body, and none that was changed', () =>
    acceptsFiles(async () => ['bash', snippetPath('openssl.sh')]))
  test('accepts a signed time that is not too old, and none that was changed', { skip: whyNoOpenssl3() }, () =>
    acceptsTimedFiles(async (folder) => {
      const keyFile = join(folder, 'ed25519.pem')
      await writeFile(keyFile, pem)
      return ['bash', snippetPath('openssl-timestamp.sh'), keyFile]
    }),
  )
})

async function acceptsJustFresh(name: 'node.mjs' | 'python.py', ...flags: string[]) {
  const answers = await runSnippet(name, { verifyTimestamped: [...timed, ...forged] }, ...flags)
  assert.deepEqual(answers, [...timed.map(() => true), ...forged.map(() => false)])
}

function whyNoOpenssl3(): string | false {
  return whyNot('sh', '-c', 'openssl version | grep -q "^OpenSSL [3-9]"')
}

async function acceptsJustGood(name: 'node.mjs' | 'python.py', ...flags: string[]) {
  const answers = await runSnippet(name, { verify: [...webhooks, ...tampered] }, ...flags)
  assert.deepEqual(answers, [...webhooks.map(() => true), ...tampered.map(() => false)])
}
