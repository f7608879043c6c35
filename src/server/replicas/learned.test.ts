import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Circuits, type Requester } from '../../calls/attempts/circuits.ts'
import { Observations } from '../../calls/attempts/observations.ts'
import { loadConfig } from '../../platform/config/config.ts'
import { MAX_LEARNED_CHARS } from '../../platform/store/installation/processes.ts'
import { Learner } from './learned.ts'
import { readLearnedText } from './learned-text.ts'

const SAME = { OPENAI_API_KEY: 'sk-1' }
const CALL = {
  target: 'openai/gpt-4o',
  owner: 'anna',
  firstTokenMs: 100,
  tokens: 100,
  durationMs: 1_100,
  failed: false,
}

test('circuits and figures reach another process', () => {
  const [one, two] = [processWith(SAME), processWith(SAME)]
  for (let i = 0; i < 5; i++) one.circuits.failed('openai/gpt-4o #0', ownedBy('anna'), { because: 'server_error' })
  for (let i = 0; i < 30; i++) one.observations.note(CALL)
  two.learner.learn('one', one.learner.text())
  assert.equal(two.circuits.allows('openai/gpt-4o #0', ownedBy('anna')), false)
  assert.equal(two.circuits.allows('openai/gpt-4o #0', ownedBy('ben')), true)
  const expected = one.observations.seenBy('anna').of('openai/gpt-4o')
  const learned = two.observations.seenBy('anna').of('openai/gpt-4o')
  assert.deepEqual([Math.round(learned.firstTokenMs), learned.samples], [Math.round(expected.firstTokenMs), 30])
  assert.deepEqual(two.observations.own(), [])
  two.learner.forget('one')
  assert.equal(two.circuits.allows('openai/gpt-4o #0', ownedBy('anna')), true)
  assert.equal(two.observations.of('openai/gpt-4o').samples, 0)
})

test('our own success outweighs what another process reports', () => {
  const [one, two] = [processWith(SAME), processWith(SAME)]
  for (let i = 0; i < 5; i++) one.circuits.failed('openai/gpt-4o #0', ownedBy('anna'), { because: 'dns' })
  two.observations.note(CALL)
  two.learner.learn('one', one.learner.text())
  assert.equal(two.circuits.allows('openai/gpt-4o #0', ownedBy('anna')), true)
})

test('a process with another address or another key for a provider learns nothing about it', () => {
  const one = processWith(SAME)
  one.observations.note(CALL)
  for (const other of [{ OPENAI_API_KEY: 'sk-2' }, { ...SAME, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }]) {
    const two = processWith(other)
    two.learner.learn('one', one.learner.text())
    assert.deepEqual(two.observations.targets, [])
  }
})

test('the text names no credential, and stays the same while nothing happens', () => {
  let clock = 0
  const one = processWith(
    { OPENAI_API_KEY: 'sk-canary', OPENAI_BASE_URL: 'http://canary:canary@127.0.0.1/v1' },
    () => clock,
  )
  assert.equal(one.learner.text(), '')
  one.observations.note(CALL)
  const text = one.learner.text()
  assert.ok(text.includes('gpt-4o') && !text.includes('canary'))
  assert.equal(one.learner.text(), text)
  clock = 61_000
  one.learner.text()
  one.observations.note(CALL)
  assert.notEqual(one.learner.text(), text)
})

test('however much there is to tell, the text is short enough for the store', () => {
  const one = processWith(SAME)
  for (let i = 0; i < 2_000; i++) {
    one.observations.note({ ...CALL, target: `openai/${'m'.repeat(300)}${i}` })
    for (let j = 0; j < 5; j++)
      one.circuits.failed(`openai/${'m'.repeat(300)}${i} #0`, ownedBy('o'.repeat(200)), { because: 'dns' })
  }
  const text = one.learner.text()
  assert.ok(text.length > 1_000 && text.length <= MAX_LEARNED_CHARS)
  assert.ok(readLearnedText(text).openings.length > 0)
})

const OPENING = { name: 'openai/x #0', kind: 'plain', owner: 'anna', forMs: 1, because: 'dns', number: 1 }
const MEANS = { firstToken: { sum: 1, weight: 1 }, speed: { sum: 1, weight: 1 }, errors: { sum: 0, weight: 1 } }

test('what a process cannot have written is left out', () => {
  for (const text of ['', '{', 'null', '[]', '"x"', '{"openings":{},"figures":3,"providers":[]}'])
    assert.deepEqual(readLearnedText(text), { providers: {}, openings: [], figures: [] }, text)
  const wrongOpenings = [
    { name: 'x' },
    { name: 7 },
    { kind: 'all' },
    { owner: null },
    { forMs: -1 },
    { forMs: 1e12 },
    { because: '<b>' },
    { because: 'toString' },
    { number: '1' },
    { name: `openai/${'x'.repeat(2_000)} #0` },
  ].map((wrong) => ({ ...OPENING, ...wrong }))
  const wrongFigures = [
    { figures: null },
    { figures: {} },
    { figures: { ...MEANS, errors: { sum: 5, weight: 1 } } },
    { figures: { ...MEANS, speed: { sum: 1, weight: 1e9 } } },
    { figures: { ...MEANS, firstToken: { sum: -1, weight: 1 } } },
    { owner: 5 },
  ].map((wrong) => ({ target: 'openai/x', owner: 'anna', figures: MEANS, ...wrong }))
  const right = { target: 'openai/x', owner: 'anna', figures: MEANS }
  const text = JSON.stringify({ openings: [...wrongOpenings, OPENING], figures: [...wrongFigures, right] })
  const { openings, figures } = readLearnedText(text)
  assert.deepEqual([openings, figures], [[OPENING], [right]])
})

function processWith(env: Record<string, string>, clock?: () => number) {
  const [circuits, observations] = [new Circuits(() => 1_000), new Observations(() => 1_000)]
  const config = loadConfig({ GATEHOUSE_CONFIG: '', ...env })
  return {
    circuits,
    observations,
    learner: new Learner({
      providers: () => config.providers,
      circuits,
      observations,
      secret: 's',
      ...(clock && { clock }),
    }),
  }
}

function ownedBy(owner: string): Requester {
  return { caller: { owner }, isCustomized: () => false }
}
