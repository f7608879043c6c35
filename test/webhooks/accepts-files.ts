import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { accepts, type Case, type TimedCase } from './run-snippet.ts'
import { FORGERIES, forged, key, signedAt, tampered, timed, webhooks } from './sent-webhooks.ts'

// For verifiers that are programs which take the names of files.

/** One case of each kind, because every call starts a program. */
export async function acceptsFiles(prepare: (folder: string) => Promise<string[]>) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-snippet-'))
  after(() => rm(folder, { recursive: true }))
  const command = await prepare(folder)
  const [keyFile, bodyFile] = [join(folder, 'key.pem'), join(folder, 'body')]
  await writeFile(keyFile, key)
  for (const { body, signature, good } of [{ ...webhooks[4]!, good: true }, ...tampered.slice(-4).map(bad)]) {
    await writeFile(bodyFile, Buffer.from(body, 'base64'))
    assert.equal(await accepts(command, [keyFile, bodyFile, signature]), good)
  }
}

/** These programs use their machine's clock, so a timestamp is too old only if it was signed long ago. */
export async function acceptsTimedFiles(prepare: (folder: string) => Promise<string[]>) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-snippet-'))
  after(() => rm(folder, { recursive: true }))
  const [program, ...flags] = await prepare(folder)
  const bodyFile = join(folder, 'body')
  const old = await signedAt(timed[4]!, timed[4]!.now - 301)
  const wrong = forged.slice(-FORGERIES).filter(({ now }) => now === timed[4]!.now)
  for (const { body, headers, good } of [{ ...timed[4]!, good: true }, ...[...wrong, old].map(bad)]) {
    await writeFile(bodyFile, Buffer.from(body, 'base64'))
    const words = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headers[name]!)
    assert.equal(await accepts([program!, ...flags], [bodyFile, ...words]), good, words.join(' '))
  }
}

function bad<Webhook extends Case | TimedCase>(webhook: Webhook) {
  return { ...webhook, good: false }
}
