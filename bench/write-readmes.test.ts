import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Run } from './report.ts'
import { readSettings } from './settings.ts'
import type { Result, Slice } from './slices.ts'
import { whyNotWritten, withFigures, withReport } from './write-readmes.ts'

const README = readFileSync(join(import.meta.dirname, '..', 'README.md'), 'utf8')

test('the rows of the README say what the run has measured, and nothing else changes', () => {
  const written = withFigures(README, results(), '2027-01-31')
  const changed = written.split('\n').filter((line, at) => line !== README.split('\n')[at])
  assert.deepEqual(changed, [
    '| CPU of a 1 KB chat ([benchmark](bench/README.md) of 2027-01-31) | 95.5 µs | 2,500 µs | not measured | 600 µs | – |',
    '| client aborts that stop the provider (same benchmark) | 19 of 20 | 20 of 20 | not measured | 0 of 20 | – |',
    README.split('\n')
      .find((line) => line.startsWith('- **Sizing**'))!
      .replace(/uses .*? of CPU/, 'uses 95.5 µs of CPU'),
  ])
  assert.equal(withFigures(written, results(), '2027-01-31'), written)
})

test('a README without one of its figures is not written', () => {
  assert.throws(
    () => withFigures(README.replace('CPU of a 1 KB chat (', '('), results(), '2027-01-31'),
    /has lost a figure/,
  )
  assert.throws(() => withReport('no marks', 'report'), /has lost its marks/)
  assert.match(withReport('a<!-- bench:start -->old<!-- bench:end -->z', 'new'), /^a<!--.*-->\n\nnew\n<!--.*-->z$/s)
})

test('a run that is void, incomplete or without a figure of the README is not written', () => {
  assert.match(whyNotWritten(run({ notes: ['Portkey was not measured: x'] })) ?? '', /^something could not/)
  assert.match(whyNotWritten(run({ alone: [{ busy: 100, ours: 0, capacity: 100 }] })) ?? '', /^other work/)
  assert.equal(whyNotWritten(run({})), undefined)
  const [small] = results()
  assert.match(whyNotWritten(run({ results: [small!] })) ?? '', /figures of streams, which did not run/)
})

function run(parts: Partial<Run>): Run {
  return { settings: readSettings([]), tools: '', notes: [], results: results(), alone: [], profiles: [], ...parts }
}

function results(): Result[] {
  const cpu = { gatehouse: 95.5, portkey: 600, litellm: 2500 } as const
  const reached = { gatehouse: 19, portkey: 0, litellm: 20 } as const
  const names = ['gatehouse', 'portkey', 'litellm'] as const
  return [
    { scenario: 'small', title: 'small', slices: names.map((name) => slice(name, cpu[name])) },
    {
      scenario: 'streams',
      title: 'streams',
      slices: names.map((name) => ({ ...slice(name, 1), aborts: { sent: 20, reached: reached[name] } })),
    },
  ]
}

function slice(contender: Slice['contender'], cpuUs: number): Slice {
  const machine = { busy: 0, ours: 0, capacity: 1 }
  return { contender, round: 0, cpuUs, count: 1, seconds: 1, p50Us: 1, errors: [], rssBytes: 0, machine }
}
