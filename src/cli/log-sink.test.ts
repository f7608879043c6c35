import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { LogSink } from './log-sink.ts'

const SINK = new URL('./log-sink.ts', import.meta.url).href

test('all lines arrive, whole and in order, when the sink is closed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'log-sink-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'log')
  const sink = new LogSink(openSync(file, 'w'))
  const lines = Array.from({ length: 5_000 }, (_, i) => `${JSON.stringify({ i, text: 'ü'.repeat(i % 50) })}\n`)
  for (const line of lines) sink.write(line)
  await sink.close()
  assert.equal(readFileSync(file, 'utf8'), lines.join(''))
  assert.equal(sink.dropped, 0)
})

test('a reader that is stuck does not block the process, and the lines that it misses are counted', async () => {
  const program = `
    import { LogSink } from ${JSON.stringify(SINK)}
    const sink = new LogSink(1)
    const line = 'x'.repeat(1023) + '\\n'
    for (let i = 0; i < 40_000; i++) sink.write(line)
    setTimeout(() => { process.stderr.write(String(sink.dropped)); process.kill(process.pid, 'SIGKILL') }, 50)`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program])
  child.stdout.pause()
  let said = ''
  child.stderr.on('data', (text) => (said += text))
  await new Promise((resolve) => child.once('exit', resolve))
  child.stdout.destroy()
  assert.ok(Number(said) > 10_000, `dropped ${said}`)
})

test('what waits is written by itself after a moment', async () => {
  const program = `
    import { LogSink } from ${JSON.stringify(SINK)}
    new LogSink(1).write('one line\\n')
    setTimeout(() => {}, 60_000)`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program])
  const text = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data))))
  child.kill('SIGKILL')
  assert.equal(text, 'one line\n')
})
