import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Notes } from '../notes.ts'
import { exactRatio, nearestRatio, nearestScale, requestedPixels, pixelsOf, requestedRatio } from './requested-size.ts'
import { call } from './fixtures/image-calls.ts'

test('a size is two sides; nothing and "auto" leave it to the model', () => {
  assert.deepEqual(pixelsOf('1024x768', 'X'), { width: 1024, height: 768 })
  assert.deepEqual(
    [pixelsOf(undefined, 'X'), pixelsOf('auto', 'X'), pixelsOf('', 'X')],
    [undefined, undefined, undefined],
  )
  for (const size of ['big', '1024', '0x10', '1024x', '999999x1', '-1x1'])
    assert.throws(() => pixelsOf(size, 'X'), { code: 'validation_error', message: /^size: X/ }, size)
})

test('the nearest shape is nearest by proportion, whichever way it lies', () => {
  const ratios = ['1:1', '16:9', '9:16', '4:3']
  assert.equal(nearestRatio({ width: 1792, height: 1024 }, ratios), '16:9')
  assert.equal(nearestRatio({ width: 100, height: 1000 }, ratios), '9:16')
  assert.equal(nearestRatio({ width: 1000, height: 980 }, ratios), '1:1')
  assert.equal(nearestRatio({ width: 1950, height: 900 }, ['19.5:9', '2:1']), '19.5:9')
  assert.equal(nearestRatio({ width: 3, height: 2 }, ['2x3', '3x2']), '3x2')
})

test('the nearest scale goes by the area', () => {
  const scales = { '1k': 1024, '2k': 2048 }
  assert.equal(nearestScale({ width: 1536, height: 1024 }, scales), '1k')
  assert.equal(nearestScale({ width: 2048, height: 1536 }, scales), '2k')
})

test('sides are rounded to steps, never to zero, with a note', () => {
  const notes = new Notes()
  assert.deepEqual(requestedPixels(call({ size: '1023x5' }), 16, 'X', notes), { width: 1024, height: 16 })
  assert.match(notes.list[0]!.reason, /1024x16/)
  assert.equal(exactRatio({ width: 1536, height: 1024 }), '3:2')
})

test('an aspect ratio of the callers own is not looked at', () => {
  const notes = new Notes()
  assert.equal(requestedRatio(call({ size: '1x1', extra: { aspect_ratio: '7:5' } }), ['1:1'], 'X', notes), '7:5')
  assert.deepEqual(notes.list, [])
})
