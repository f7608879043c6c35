import assert from 'node:assert/strict'
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { run } from '../../../src/cli/cli.ts'
import { loadConfig } from '../../../src/platform/config/config.ts'
import { PROGRAM, runHere, startWithArguments, temporaryFolder } from '../../gateway/gateway-process.ts'

describe('gatehouse init', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  before(async () => {
    folder = await temporaryFolder()
  })
  after(() => folder.remove())

  test('without a terminal, flags and defaults become a file that only its owner can read', async () => {
    const file = join(folder.path, 'plain.yaml')
    const flags = [
      '--port',
      '9001',
      '--data-dir',
      '/srv/gate: "house"',
      '--provider',
      'openai',
      '--provider',
      'vertex_ai',
      '--region',
      'eu',
    ]
    const { code, stdout, stderr } = await runHere(['init', '--output', file, ...flags], {})
    assert.equal(code, 0, stderr)
    assert.match(
      stdout,
      /^Wrote \S+plain\.yaml\. Next:\n\n {2}1\. Set OPENAI_API_KEY, .*\n {2}2\. gatehouse doctor --config \S+\n/,
    )
    const text = await readFile(file, 'utf8')
    assert.match(text, /^port: 9001$/m)
    assert.match(text, /^# host: "127\.0\.0\.1"$/m)
    assert.match(text, /^# {3}openai: OPENAI_API_KEY$/m)
    const { port, region, dataDir, host } = loadConfig({ GATEHOUSE_CONFIG: file })
    assert.deepEqual([port, region, dataDir, host], [9001, 'eu', '/srv/gate: "house"', '127.0.0.1'])
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    // Every commented setting works when its comment sign is removed.
    const settings = text.replace(/^# (?=[a-z]+[A-Za-z]*: )/gm, '').replace('\nregion: "global"', '')
    await writeFile(file, settings)
    assert.equal(loadConfig({ GATEHOUSE_CONFIG: file }).adminPort, 8081)
    const examples = text
      .slice(text.indexOf('# Several keys'))
      .split('\n')
      .filter((line) => /^# [ a-z]/.test(line))
    await writeFile(file, examples.map((line) => line.slice(2)).join('\n'))
    const { providers, timeouts } = loadConfig({ GATEHOUSE_CONFIG: file, OPENAI_KEY_A: 'a', OPENAI_KEY_B: 'b' })
    assert.deepEqual([providers.openai!.credentials.length, providers['my-server']!.name], [2, 'my-server'])
    assert.deepEqual(timeouts.openai, { firstTokenMs: 5_000 })
  })

  test('a file is not replaced without --force, and a mistake is one sentence and no file', async () => {
    const file = join(folder.path, 'kept.yaml')
    await writeFile(file, 'port: 1\n')
    const rows: [string[], RegExp][] = [
      [['--output', file], /kept\.yaml exists already\. Name another file with --output, or replace it with --force\./],
      [['--output', join(folder.path, 'x.json')], /^gatehouse: --output must end with \.yaml/],
      [['--output', join(folder.path, 'x.yaml'), '--port', 'canary'], /^gatehouse: --port: should be a whole number/],
      [
        ['--output', join(folder.path, 'x.yaml'), '--provider', 'opnai'],
        /there is no provider 'opnai'\. Did you mean openai\?/,
      ],
      [
        ['--output', join(folder.path, 'x.yaml'), '--database-url', 'mysql://x'],
        /^gatehouse: --database-url: should look like/,
      ],
      [
        ['--output', join(folder.path, 'none', 'x.yaml')],
        /There is no \S+x\.yaml, and it cannot be created\. Check the path\./,
      ],
    ]
    for (const [flags, words] of rows) {
      const { code, stderr } = await runHere(['init', ...flags], {})
      assert.equal(code, 1)
      assert.match(stderr, words)
    }
    await assert.rejects(stat(join(folder.path, 'x.yaml')))
    assert.equal(await readFile(file, 'utf8'), 'port: 1\n')
    assert.equal((await runHere(['init', '--force', '--output', file, '--port', '2'], {})).code, 0)
    assert.match(await readFile(file, 'utf8'), /^port: 2$/m)
  })

  test('on a terminal, a person is asked for what no flag says, and again after a mistake', async () => {
    const file = join(folder.path, 'asked.yaml')
    const answers = ['0.0.0.0', 'many', '9100', '', 'postgres://u:p@db/x', '', 'anthropic, gorq', 'anthropic, groq']
    const questions: string[] = []
    const remarks: string[] = []
    const terminal = {
      environment: {},
      print() {},
      remark: (text: string) => void remarks.push(text),
      ask: async (question: string) => {
        questions.push(question)
        return answers.shift()!
      },
    }
    assert.equal(await run(['init', '--output', file], terminal), 0)
    assert.deepEqual(answers, [])
    assert.equal(questions[1], 'Port of the API [8080]: ')
    assert.match(remarks.join(''), /--port: should be a whole number from 0 to 65535\n.*'gorq'\. Did you mean groq\?/)
    const { host, port, databaseUrl } = loadConfig({ GATEHOUSE_CONFIG: file })
    assert.deepEqual([host, port, databaseUrl], ['0.0.0.0', 9100, 'postgres://u:p@db/x'])
    assert.match(await readFile(file, 'utf8'), /^# {3}groq: GROQ_API_KEY$/m)
    questions.length = 0
    const all = [
      '--host',
      'h',
      '--port',
      '1',
      '--data-dir',
      'd',
      '--database-url',
      'postgres://h/x',
      '--region',
      'eu',
      '--provider',
      'groq',
    ]
    assert.equal(await run(['init', '--force', '--output', file, ...all], terminal), 0)
    assert.equal(await run(['init', '--force', '--yes', '--output', file], terminal), 0)
    assert.deepEqual(questions, [])
  })
})

describe('settings from flags and files', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  before(async () => {
    folder = await temporaryFolder()
  })
  after(() => folder.remove())

  test('serve: flags win over variables, variables over --env-file, and API processes get all of them', async () => {
    const [config, env] = [join(folder.path, 'gateway.yaml'), join(folder.path, 'env')]
    await writeFile(config, 'workers: 2\nlogLevel: warn\nport: 1\n')
    await writeFile(
      env,
      'export GATEHOUSE_API_KEY="key of the env file"\nLOG_LEVEL=silent\nHOST=192.0.2.1 # a comment\n',
    )
    const flags = [
      '--config',
      config,
      '--env-file',
      env,
      '--data-dir',
      join(folder.path, 'data'),
      '--host',
      '127.0.0.1',
    ]
    const gateway = await startWithArguments([...flags, '--port', '0', '--admin-port', '0'], { LOG_LEVEL: 'info' })
    const headers = { authorization: 'Bearer key of the env file' }
    for (let i = 0; i < 4; i++) assert.equal((await fetch(`${gateway.url}/v3/models`, { headers })).status, 200)
    assert.match(gateway.output(), /"processes":2/)
    assert.deepEqual(await gateway.stop(), { code: 0, signal: null })
  })

  test('a folder that this user may not write to is one sentence that says what to do', async (t) => {
    const closed = join(folder.path, 'closed')
    await mkdir(closed, { mode: 0o555 })
    await chmod(folder.path, 0o755)
    for (const data of [closed, join(closed, 'data')]) {
      const { code, stderr } = await asStranger(['serve', '--port', '0', '--admin-port', '0', '--data-dir', data])
      if (stderr.includes('Cannot find module')) return t.skip('another user cannot read this checkout')
      assert.equal(code, 1, stderr)
      assert.match(
        stderr,
        /^gatehouse: This user may not write to \S+\. Change its owner or its mode, .*DATA_DIR or --data-dir\. \(EACCES\)\n$/,
      )
    }
    const doctor = await asStranger(['doctor', '--data-dir', closed])
    assert.match(
      doctor.stdout,
      /^failed +disk +This user may not write to \S+closed \(EACCES\)\.\n +Change the owner or the mode/m,
    )
  })
})

/** Root may write everywhere, so root becomes another user. */
async function asStranger(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, HOME: tmpdir(), NODE_COMPILE_CACHE: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...identity,
  })
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => stream.toArray())
  const [code] = await once(child, 'close')
  return { code, stdout: (await stdout!).join(''), stderr: (await stderr!).join('') }
}
