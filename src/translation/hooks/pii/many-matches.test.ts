import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EngineName, Engines } from '../../engine-api/engines.ts'
import { findPersonalDataIn } from '../../engines/text/personal-data.ts'
import { withoutPersonalData } from '../../../calls/contents/without-personal-data.ts'
import { Problem } from '../../../contract/problems.ts'
import { hookTools } from '../fixtures/hook-tools.ts'
import { LongWork } from '../long-work.ts'
import redactAnswer from '../post/redact_pii.ts'
import redactRequest from '../pre/redact_pii.ts'
import { StepBudget } from '../step-budget.ts'
import { Placeholders } from './placeholders.ts'
import { restoreFilter } from './restore-filter.ts'

// What is found costs steps, and many steps take many turns of the event loop, in every place where a text is rebuilt.

const ADDRESSES = 20_000
/** A turn makes about 2,000 replacements. */
const TURNS = 8
const text = Array.from({ length: ADDRESSES }, (_, at) => `person${at}@mail.example`).join(' ')
const hidden = Array.from({ length: ADDRESSES }, (_, at) => `[EMAIL_${at + 1}]`).join(' ')

/** Counts the turns, and how many placeholders were made in the longest of them. */
function counting() {
  const { tools } = hookTools()
  let turns = 0
  const work = new LongWork(async () => {
    turns++
  })
  const engine = async (name: EngineName, input: unknown) => {
    assert.equal(name, 'redact_pii')
    return findPersonalDataIn(input as Engines['redact_pii']['input'])
  }
  return { tools: { ...tools, longWork: work, engine: engine as typeof tools.engine }, turns: () => turns }
}

test('a request with many addresses is rewritten in many turns', async () => {
  const { tools, turns } = counting()
  const request = { model: 'sandbox/echo', messages: [{ role: 'user' as const, content: text }] }
  const changed = await redactRequest.run(request, { restore: true }, tools)
  assert.equal(changed.messages[0]!.content, hidden)
  assert.ok(turns() >= TURNS, `${turns()} turns`)
})

test('so is an answer, and what is restored in it', async () => {
  const { tools, turns } = counting()
  const change = redactAnswer.wholeText!({}, tools)
  assert.equal(await change(text, 'content'), hidden)
  assert.ok(turns() >= TURNS, `${turns()} turns`)
  const other = counting()
  const placeholders = new Placeholders()
  for (const value of text.split(' ')) placeholders.nameFor('email', value, true)
  assert.equal(await placeholders.restoreAll(hidden, other.tools.longWork), text)
  assert.ok(other.turns() >= TURNS / 2, `${other.turns()} turns`)
})

test('names that an engine finds take turns as well', async () => {
  const { tools, turns } = counting()
  const named = { ...tools, personalDataIn: hookTools({ names: /person\d+/g }).tools.personalDataIn }
  const request = { model: 'sandbox/echo', messages: [{ role: 'user' as const, content: text.replaceAll('@', ' ') }] }
  await redactRequest.run(request, { kinds: ['name'] }, named)
  assert.ok(turns() >= TURNS, `${turns()} turns`)
})

test('no part of a long text ends inside of a placeholder, neither when it is restored nor when it is reserved', async () => {
  const placeholders = new Placeholders()
  const work = new LongWork(async () => {})
  placeholders.nameFor('email', 'ada@mail.example', true)
  for (let before = 16_360; before < 16_400; before++) {
    const filler = 'x'.repeat(before)
    assert.equal(await placeholders.restoreAll(`${filler}[EMAIL_1]y`, work), `${filler}ada@mail.exampley`)
    const other = new Placeholders()
    await other.reserve(`${filler}[EMAIL_123]`, new LongWork(async () => {}))
    assert.equal(other.nameFor('email', 'a@b.example', true), '[EMAIL_124]')
  }
})

test('more places than a call may have replaced are refused', async () => {
  const { tools } = counting()
  const request = { model: 'sandbox/echo', messages: [{ role: 'user' as const, content: text }] }
  const few = { ...tools, longWork: new LongWork(async () => {}, 100_000) }
  const isTooLarge = (error: unknown) => error instanceof Problem && error.status === 413
  await assert.rejects(async () => await redactRequest.run(request, {}, few), isTooLarge)
})

test('a short answer cannot be restored to gigabytes', async () => {
  const placeholders = new Placeholders()
  placeholders.nameFor('email', 'x'.repeat(300), true)
  const bomb = '[EMAIL_1]'.repeat(200_000)
  await assert.rejects(placeholders.restoreAll(bomb, new LongWork(async () => {})), Problem)
  assert.throws(() => restoreFilter(placeholders, new StepBudget(1_500_000)).push(bomb), Problem)
})

test('kept contents are rewritten in turns: others run in between', async () => {
  let others = 0
  const counter = setInterval(() => others++, 0)
  const engine = counting().tools.engine
  const value = await withoutPersonalData({ text }, engine as Parameters<typeof withoutPersonalData>[1], 'owner')
  clearInterval(counter)
  assert.deepEqual(value, { text: hidden })
  assert.ok(others > 0)
})
