import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { results } from '../../../src/cli/batches/results.ts'
import { status } from '../../../src/cli/batches/status.ts'
import { answer } from '../../fakes/behaviours.ts'
import { chatLine } from '../../gateway/batch-client.ts'
import { runHere } from '../../gateway/gateway-process.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'
import { type LimitsGateway, startLimitsGateway } from '../../gateway/limits-gateway.ts'

const TIMING = { pollMs: 20, heartbeatMs: 50, keyMs: -1 }
const LOOK_MS = 10

describe('gatehouse batch', () => {
  let limits: LimitsGateway
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-batch-'))
    limits = await startLimitsGateway({ batchTiming: TIMING, jobGraceMs: 0 })
  })
  after(async () => {
    await limits?.close()
    await rm(folder, { recursive: true, force: true })
  })

  test('submits a file, waits for the end, and writes the answers and then the failures', async () => {
    const file = await fileOf([chatLine('one', 'Hello!'), chatLine('two', 'x', 'missing/model')])
    const submitted = await run('submit', file, '--completion-window', '48h')
    assert.deepEqual([submitted.code, /^batch_[0-9a-f]{32}\n$/.test(submitted.stdout)], [0, true], submitted.stderr)
    const id = submitted.stdout.trim()
    const { code, printed } = await watch(id)
    assert.deepEqual([code, printed], [0, `${id}  completed  1 of 2 answered, 1 failed\n`])
    const shown = JSON.parse((await run('status', id, '--json')).stdout)
    assert.deepEqual([shown.completion_window, shown.endpoint], ['48h', null])
    const { stdout } = await run('results', id)
    assert.deepEqual(linesIn(stdout), ['one', 'two'])
    const output = join(folder, 'answers.jsonl')
    await writeFile(output, 'an earlier file')
    assert.deepEqual(await run('results', id, '--output', output), { code: 0, signal: null, stdout: '', stderr: '' })
    assert.equal(await readFile(output, 'utf8'), stdout)
    assert.ok(!(await readdir(folder)).includes('answers.jsonl.part'))
  })

  test('a batch that failed has the exit code 1, and says which line is wrong', async () => {
    const { stdout } = await run('submit', await fileOf([chatLine('one', 'x'), { custom_id: 5 }]))
    const { code, printed } = await watch(stdout.trim())
    assert.equal(code, 1)
    assert.match(printed, /^batch_\w+ {2}failed {2}.*\nline 2: .*custom_id/)
    const results = await run('results', stdout.trim())
    assert.deepEqual([results.code, results.stdout], [1, ''])
    assert.match(results.stderr, /^batch_\w+ {2}failed {2}.*\nline 2: .*custom_id/)
  })

  test('while it waits, a terminal has a progress bar with the reason of a pause', async () => {
    limits.fake.always(answer())
    await limits.limit({ budgets: [{ id: 'team', limit: 0.00001, window: 'day', appliesTo: 'all' }] })
    const { stdout } = await run('submit', await fileOf([chatLine('one', 'x'), chatLine('two', 'x', 'fake/priced')]))
    const id = stdout.trim()
    const paused = Promise.withResolvers<void>()
    const drawn: string[] = []
    const write = (text: string) => {
      drawn.push(text)
      if (text.includes('paused, ') && text.includes("budget 'team'")) paused.resolve()
    }
    const watching = watch(id, { isTTY: true, columns: 200, write })
    await paused.promise
    assert.equal((await run('results', id)).code, 1)
    assert.match(
      (await run('status', id)).stdout,
      /in_progress.*[01] of 2 answered\npaused: .*budget 'team'.* again at 2/,
    )
    assert.equal((await limits.post(`/v3/batches/${id}/cancel`, {})).status, 200)
    const { code, printed } = await watching
    assert.equal(code, 1)
    assert.match(printed, /cancelled {2}[01] of 2 answered, [12] failed/)
    assert.ok(
      drawn.some((text) => /paused, .*…: \[[#.]{20}\] \d+% \([01] of 2\)/.test(text)),
      drawn.at(-2),
    )
    await limits.limit({})
  })

  test('with an endpoint, a line for another one is wrong', async () => {
    const file = await fileOf([chatLine('one', 'x')])
    const { stdout: right } = await run('submit', file, '--endpoint', '/v1/chat/completions')
    assert.equal((await watch(right.trim())).code, 0)
    const { stdout: wrong } = await run('submit', file, '--endpoint', '/v1/embeddings')
    const { code, printed } = await watch(wrong.trim())
    assert.deepEqual([code, /line 1: .*endpoint/.test(printed)], [1, true], printed)
  })

  const NO_BATCH = `batch_${'0'.repeat(32)}`
  const MISTAKES: [args: string[], says: RegExp][] = [
    [['submit', '/missing/file.jsonl'], /file\.jsonl cannot be read \(ENOENT\)/],
    [['submit', tmpdir()], /is not a file/],
    [['status', NO_BATCH], /refused: There is no such batch/],
    [['results', NO_BATCH], /refused: There is no such batch/],
    [['status', NO_BATCH, '--url', 'ftp://x'], /--url/],
    [['status', NO_BATCH, '--url', 'http://127.0.0.1:1'], /cannot be reached: .* name its address with --url/],
  ]
  for (const [args, says] of MISTAKES)
    test(`batch ${args.join(' ')} ends with a sentence`, async () => {
      const { code, stdout, stderr } = await run(...args)
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, says)
    })

  test('what the gateway refuses is said; a key is needed, and never shown', async () => {
    const file = await fileOf([chatLine('one', 'x')])
    assert.match((await run('submit', file, '--completion-window', '3 days')).stderr, /1h to 168h/)
    assert.match((await runHere(['batch', 'submit', file], {})).stderr, /GATEHOUSE_API_KEY/)
    const wrong = await runHere(['batch', 'submit', file], {
      GATEHOUSE_API_KEY: 'another-unknown-key',
      GATEHOUSE_URL: `${limits.gateway.url}/v3`,
    })
    assert.equal(wrong.code, 1)
    assert.match(wrong.stderr, /refused/)
    assert.ok(!wrong.stderr.includes('another-unknown-key'))
  })

  test('answers that break off are an error, and leave the earlier file as it was', async () => {
    const batch = { id: NO_BATCH, status: 'completed', output_file_id: 'file-1', error_file_id: null }
    const server = createServer((request, response) => {
      if (!request.url!.endsWith('/content')) return void response.end(JSON.stringify(batch))
      response.writeHead(200, { 'content-length': '1000' }).write('{"custom_id":', () => response.destroy())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const output = join(folder, 'kept.jsonl')
    await writeFile(output, 'an earlier file')
    const { code, stderr } = await run('results', NO_BATCH, '--output', output, '--url', url)
    server.close()
    assert.equal(code, 1)
    assert.match(stderr, /broke off/)
    assert.equal(await readFile(output, 'utf8'), 'an earlier file')
    assert.ok(!(await readdir(folder)).includes('kept.jsonl.part'))
  })

  test('a reader that takes its time holds up the download: the answers are not collected in memory', async () => {
    const batch = { id: NO_BATCH, status: 'completed', output_file_id: 'file-1', error_file_id: null }
    const bytes = 16 * 1024 * 1024
    const server = createServer((request, response) => {
      response.end(request.url!.endsWith('/content') ? Buffer.alloc(bytes, 'x\n') : JSON.stringify(batch))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const seen = { bytes: 0, most: 0 }
    const output = new Writable({
      write: (piece: Buffer, _encoding, done) => {
        seen.bytes += piece.length
        seen.most = Math.max(seen.most, output.writableLength)
        setImmediate(done)
      },
    })
    const terminal = { environment: { GATEHOUSE_API_KEY: API_KEY }, print: assert.fail, remark: assert.fail, output }
    assert.equal(await results({ values: { url }, operands: [NO_BATCH] }, terminal), 0)
    server.close()
    assert.equal(seen.bytes, bytes)
    assert.ok(seen.most < bytes / 8, `${seen.most} bytes waited`)
  })

  function run(...args: string[]) {
    const url = args.includes('--url') ? [] : ['--url', limits.gateway.url]
    return runHere(['batch', ...args, ...url], { GATEHOUSE_API_KEY: API_KEY })
  }

  async function watch(id: string, screen?: { isTTY: boolean; columns: number; write(text: string): void }) {
    const printed: string[] = []
    const terminal = { environment: { GATEHOUSE_API_KEY: API_KEY }, remark: assert.fail, ...(screen && { screen }) }
    const input = { values: { watch: true, url: limits.gateway.url }, operands: [id] }
    const code = await status(input, { ...terminal, print: (text) => void printed.push(text) }, LOOK_MS)
    return { code, printed: printed.join('') }
  }

  let files = 0

  async function fileOf(lines: readonly object[]): Promise<string> {
    const file = join(folder, `requests-${++files}.jsonl`)
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    return file
  }
})

function linesIn(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).custom_id)
}
