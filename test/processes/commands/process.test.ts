import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, stat, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { isWellFormed } from '../../../src/tenants/access/api-keys.ts'
import { adminClient } from '../../gateway/admin-client.ts'
import { PROGRAM, startFirst, startScript, temporaryFolder } from '../../gateway/gateway-process.ts'

const SYSTEM_NODE = '/usr/bin/node'
const KEY = /gate_(?:live|admin)_[0-9A-Za-z]{36}/g

describe('starting', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  before(async () => {
    folder = await temporaryFolder()
  })
  after(() => folder.remove())

  test('a first start says where it is and shows two keys; a second one shows none, both end cleanly, and SIGINT skips the delay', async () => {
    const first = await startFirst({ DATA_DIR: folder.data })
    after(() => first.child.kill('SIGKILL'))
    const [apiKey, adminKey] = keysIn(first.output())
    assert.ok(isWellFormed(apiKey!) && apiKey!.startsWith('gate_live_'))
    assert.ok(isWellFormed(adminKey!) && adminKey!.startsWith('gate_admin_'))
    assert.ok(first.output().includes(`${first.url}/v3`))
    assert.ok(first.output().includes(`Console: ${first.adminUrl}/\n`))
    await assertCurlWorks(first.output())
    assert.equal(await statusWith(first.url, apiKey!), 200)
    assert.equal((await adminClient(first.adminUrl, adminKey).get('/admin/keys')).status, 200)
    assert.equal((await stat(folder.data)).mode & 0o777, 0o700)
    for (const file of ['encryption-key', 'gatehouse.db'])
      assert.equal((await stat(join(folder.data, file))).mode & 0o777, 0o600, file)
    assert.deepEqual(await first.stop(), { code: 0, signal: null })

    const second = await startScript({ DATA_DIR: folder.data, DRAIN_DELAY_SECONDS: '600' })
    after(() => second.child.kill('SIGKILL'))
    assert.doesNotMatch(second.output(), KEY)
    assert.equal(await statusWith(second.url, apiKey!), 200)
    // SIGINT skips the delay. A shell that only waits for the gateway would die alone and leave it running on its port.
    second.child.kill('SIGINT')
    assert.deepEqual(await second.ended, { code: 0, signal: null })
    assert.match(second.output(), /"stopped"/)
  })
})

describe('a Node that is too old', { skip: reasonToSkip() }, () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  before(async () => {
    folder = await temporaryFolder()
  })
  after(() => folder.remove())
  test('gets one sentence when no other is at hand', async () => {
    await cp(dirname(PROGRAM), join(folder.path, 'bin'), { recursive: true })
    await cp(join(dirname(PROGRAM), '..', 'package.json'), join(folder.path, 'package.json'))
    const { status, stdout, stderr } = spawnSync(SYSTEM_NODE, [join(folder.path, 'bin', 'gatehouse.js'), '--help'], {
      encoding: 'utf8',
    })
    assert.equal(stdout, '')
    assert.match(stderr, /^Gatehouse needs Node 24 or newer, this is \d+\.\d+\.\d+: .*\.\n$/)
    assert.equal(status, 1)
  })

  test('hands over to the one that was installed along', async () => {
    const link = join(folder.path, 'gatehouse')
    await symlink(PROGRAM, link)
    for (const program of [PROGRAM, link]) {
      const { status, stdout, stderr } = spawnSync(SYSTEM_NODE, [program, '--help'], { encoding: 'utf8' })
      assert.deepEqual([status, stderr], [0, ''])
      assert.match(stdout, /Usage: gatehouse/)
    }
  })
})

function keysIn(output: string): string[] {
  const shown = output.split('\n').filter((line) => line.includes('shown only once'))
  const keys = shown.map((line) => line.match(KEY)![0])
  assert.equal(keys.length, 2)
  // Each key is on its own line once; the client key is also in the command to paste.
  assert.deepEqual(output.match(KEY)!.toSorted(), [keys[0], keys[0], keys[1]].toSorted())
  return keys
}

/** Pastes the command into a shell, as a person would. */
async function assertCurlWorks(output: string): Promise<void> {
  const line = output.split('\n').find((line) => line.trimStart().startsWith('curl '))!
  // A proxy of this machine does not reach the gateway of the test.
  const env = { ...process.env, no_proxy: '*' }
  const { stdout } = await promisify(execFile)('bash', ['-c', line], { env })
  const { choices, cost } = JSON.parse(stdout)
  assert.deepEqual([choices[0].message.content, cost], ['Hello, gatehouse!', 0])
}

async function statusWith(url: string, key: string): Promise<number> {
  return (await fetch(`${url}/v3/models`, { headers: { authorization: `Bearer ${key}` } })).status
}

function reasonToSkip(): string | false {
  if (!existsSync(SYSTEM_NODE)) return `there is no ${SYSTEM_NODE} here`
  const version = spawnSync(SYSTEM_NODE, ['--version'], { encoding: 'utf8' }).stdout.trim()
  return Number(version.slice(1).split('.')[0]) < 24 ? false : `${SYSTEM_NODE} is ${version}: not too old`
}
