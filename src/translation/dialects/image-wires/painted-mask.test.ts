import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Notes } from '../notes.ts'
import { paintedMask } from './painted-mask.ts'

const MASK = { bytes: new Uint8Array([1]), mediaType: 'image/png', name: 'mine.png' }

test('a painted mask replaces that of the caller, and a plain one is sent unchanged; both with a note', () => {
  const notes = new Notes()
  const bytes = new Uint8Array([2])
  assert.equal(paintedMask({ ...MASK, painted: { kind: 'painted', redrawn: 'black', bytes } }, 'X', notes).bytes, bytes)
  assert.equal(paintedMask({ ...MASK, painted: { kind: 'plain', redrawn: 'white' } }, 'X', notes).bytes, MASK.bytes)
  assert.match(notes.list[0]!.reason, /became black/)
  assert.match(notes.list[1]!.reason, /redraws what is white/)
})

test('a mask that is unreadable or a URL is refused by name', () => {
  const unread = { ...MASK, painted: { kind: 'unreadable' as const, redrawn: 'white' as const } }
  for (const mask of [unread, { url: 'https://x.test/m.png' }])
    assert.throws(() => paintedMask(mask, 'X', new Notes()), { message: /^mask: X/ })
})
