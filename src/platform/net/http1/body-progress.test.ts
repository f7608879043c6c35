import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BodyProgress, type Sign } from './body-progress.ts'

const EVENTS = 'text/event-stream; charset=utf-8'
const JSON_TYPE = 'application/json'
const PAGE = 'x'.repeat(1_024)
const IDLE_MS = 10_000
const IDLE_LONG_MS = 120_000

const BODIES: Record<string, { type: string; pieces: string[]; signs: Sign[] }> = {
  'an event that drips': { type: EVENTS, pieces: [...'data: {"a'], signs: Array(9).fill('none') },
  'a line': { type: EVENTS, pieces: ['data: 1\n', 'da', 'ta: 2\n\n'], signs: ['progress', 'none', 'progress'] },
  'a line that is not at the end': { type: EVENTS, pieces: [': x\nda'], signs: ['progress'] },
  comments: { type: EVENTS, pieces: [':\n', ':\n'], signs: ['progress', 'progress'] },
  'a long event in many pieces': { type: EVENTS, pieces: [PAGE, PAGE], signs: ['progress', 'progress'] },
  'small pieces that are enough together': {
    type: EVENTS,
    pieces: [PAGE.slice(24), PAGE.slice(1_000), 'x'],
    signs: ['none', 'progress', 'none'],
  },
  'a JSON text that drips': {
    type: JSON_TYPE,
    pieces: [...'{\n"a": 1'],
    signs: ['progress', ...Array(7).fill('none')],
  },
  'white space before a JSON text': {
    type: JSON_TYPE,
    pieces: ['\n', '  \r\n', '{', ' '],
    signs: ['alive', 'alive', 'progress', 'none'],
  },
  'a JSON text': { type: JSON_TYPE, pieces: ['{', PAGE, PAGE], signs: ['progress', 'progress', 'progress'] },
  'frames of Amazon': {
    type: 'application/vnd.amazon.eventstream',
    pieces: ['\0\0\0x', '\n', PAGE],
    signs: ['progress', 'none', 'progress'],
  },
}

for (const [what, { type, pieces, signs }] of Object.entries(BODIES))
  test(`what shows that an answer goes on: ${what}`, () => {
    const progress = new BodyProgress()
    progress.begin({ 'content-type': type }, IDLE_MS)
    assert.equal(progress.take(), 'progress')
    const seen = pieces.map((piece) => {
      progress.add(Buffer.from(piece))
      return progress.take()
    })
    assert.deepEqual(seen, signs)
  })

test('an answer in one piece needs more bytes if the limit is longer, and white space is none', () => {
  const progress = new BodyProgress()
  const signOf = (text: string) => {
    progress.add(Buffer.from(text))
    return progress.take()
  }
  progress.begin({ 'content-type': JSON_TYPE }, IDLE_LONG_MS)
  assert.equal(signOf('{'), 'progress')
  assert.equal(signOf(PAGE), 'none')
  for (let bytes = 2 * PAGE.length; bytes < 12_000; bytes += PAGE.length) assert.equal(signOf(PAGE), 'none')
  assert.equal(signOf(PAGE), 'progress')
  for (let spaces = 0; spaces < 20_000; spaces += 500) assert.equal(signOf(' '.repeat(500)), 'none')
})

test('frames and compressed bytes are not judged by their speed: who reads them knows what they say', () => {
  for (const headers of [
    { 'content-type': 'application/vnd.amazon.eventstream' },
    { 'content-type': JSON_TYPE, 'content-encoding': 'gzip' },
  ]) {
    const progress = new BodyProgress()
    progress.begin(headers, IDLE_LONG_MS)
    for (const piece of ['x', ' '.repeat(500), PAGE.slice(500)]) progress.add(Buffer.from(piece))
    assert.equal(progress.take(), 'progress')
  }
})
