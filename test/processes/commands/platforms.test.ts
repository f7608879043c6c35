import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { gatehouse, startReadyProcess, temporaryFolder } from '../../gateway/gateway-process.ts'

// What Linux has and other platforms do not. The processes only believe that they are elsewhere: nothing here replaces a test on
// macOS or Windows.

const NODE_OPTIONS = `--import=${pathToFileURL(join(import.meta.dirname, '..', '..', 'fakes', 'other-platform.mjs'))}`
const GATEHOUSE_API_KEY = 'platform-key'
const headers = { authorization: `Bearer ${GATEHOUSE_API_KEY}` }
const folders = await Promise.all([temporaryFolder(), temporaryFolder()])
after(() => Promise.all(folders.map((folder) => folder.remove())))

test('on Windows the gateway starts with the code cache, stores a file and can be backed up', async () => {
  const { data, path } = folders[0]
  const env = { NODE_OPTIONS, OTHER_PLATFORM: 'win32', DATA_DIR: data, GATEHOUSE_API_KEY }
  const gateway = await startReadyProcess(env)
  const body = new FormData()
  body.append('file', new Blob(['a,b\n1,2\n'], { type: 'text/csv' }), 'table.csv')
  const stored = await fetch(`${gateway.url}/v3/upload`, { method: 'POST', headers, body })
  // Node itself reports what it does with its cache.
  const telling = { ...env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }
  const { code, stderr } = await gatehouse(['backup', join(path, 'copy.db')], telling)
  const { code: end } = await gateway.stop()
  assert.deepEqual([stored.ok, code, end], [true, 0, 0])
  assert.match(stderr, /reading cache from .*\/node_modules\/\.cache\/gatehouse\/.*cli\.ts/)
})

test('on macOS several processes share a port, although the kernel does not spread connections', async () => {
  const env = { NODE_OPTIONS, OTHER_PLATFORM: 'darwin', DATA_DIR: folders[1].data, GATEHOUSE_API_KEY, WORKERS: '2' }
  const gateway = await startReadyProcess(env)
  const answers = await Promise.all(Array.from({ length: 4 }, () => fetch(`${gateway.url}/v3/models`, { headers })))
  const { code } = await gateway.stop()
  assert.deepEqual([...answers.map(({ status }) => status), code], [200, 200, 200, 200, 0])
})

test('`npm start` replaces its shell, which gets the signals; it does without that on Windows, whose shell cannot', async () => {
  const { path } = folders[0]
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', '..', 'package.json'), 'utf8'))
  writeFileSync(join(path, 'node'), '#!/bin/sh\ntest "$1" = -e && exit $ANSWER\necho $$ $*\n', { mode: 0o755 })
  for (const [platform, isReplaced] of [
    ['linux', true],
    ['win32', false],
  ] as const) {
    const check = /node -e "(.*?)"/.exec(scripts.start)![1]!
    const ANSWER = String(exitCodeOf(check, platform))
    const child = spawn('sh', ['-c', scripts.start], { env: { PATH: `${path}:${process.env.PATH}`, ANSWER } })
    const printed = Buffer.concat(await child.stdout.toArray()).toString()
    const [pid, ...words] = printed.trim().split(' ')
    assert.deepEqual([Number(pid) === child.pid, words], [isReplaced, ['bin/gatehouse.js', 'serve']])
  }
})

/** Runs the question that the script asks about its platform. */
function exitCodeOf(program: string, platform: string): number | undefined {
  const options = `Object.defineProperty(process, 'platform', { value: '${platform}' })`
  return spawnSync(process.execPath, ['-e', `${options}; ${program}`]).status ?? undefined
}
