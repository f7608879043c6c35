import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { acceptsFiles, acceptsTimedFiles } from '../../webhooks/accepts-files.ts'
import { snippetPath, whyNot } from '../../webhooks/run-snippet.ts'
import { standard } from '../../webhooks/sent-webhooks.ts'

// The verifier for Go that the documentation prints. The first compilation on a machine takes longer than many groups of tests.

describe('the verifier for Go', { skip: whyNot('go', 'version') }, () => {
  let folder = ''
  /** Compiled once: the first time on a machine takes long. */
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-snippet-'))
    await promisify(execFile)('go', ['build', '-o', join(folder, 'verify'), snippetPath('go/main.go')])
  })
  after(() => rm(folder, { recursive: true }))
  test('accepts a webhook by its raw body, and none that was changed', () =>
    acceptsFiles(async () => [join(folder, 'verify')]))
  test('accepts a signed time that is not too old, and none that was changed', () =>
    acceptsTimedFiles(async () => [join(folder, 'verify'), standard]))
})
