import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boxAt, boxOf, pixelBox, pointsIn } from './results/box-of.ts'
import { pageBox } from './vendors/microsoft/documents.ts'

// Geometry that providers leave empty, or that makes no sense.

const CORNERS = [
  { x: 10, y: 20 },
  { x: 60, y: 40 },
]

test('a box is around its points', () => {
  assert.deepEqual(boxOf(CORNERS, 100, 100), { left: 0.1, top: 0.2, width: 0.5, height: 0.2 })
  assert.deepEqual(boxOf([{ x: 0.5 }]), { left: 0.5, top: 0, width: 0, height: 0 })
})

test('without points, or without a size, there is no box', () => {
  assert.equal(boxOf([]), null)
  assert.equal(boxOf(pointsIn([5])), null)
  assert.equal(boxOf([{ x: 0, y: 0 }], 0, 0), null)
  assert.equal(boxOf([{ x: Number.POSITIVE_INFINITY, y: Number.NaN }]), null)
  assert.equal(pageBox([], { width: 1, height: 1 }), undefined)
  assert.equal(pageBox(undefined, undefined), undefined)
  assert.equal(pixelBox({ left: 1, top: 1, width: 1, height: 1 }, null), null)
})

test('what is no number does not become one of the edges', () => {
  assert.deepEqual(boxOf([...CORNERS, { x: Number.NaN, y: Number.NEGATIVE_INFINITY }], 100, 100)?.left, 0.1)
  assert.deepEqual(boxAt(Number.NaN, 0, 1, 1), { left: 0, top: 0, width: 0, height: 0 })
})

test('there may be any number of points', () => {
  const points = Array.from({ length: 300_000 }, (_, at) => ({ x: at / 300_000, y: 0.5 }))
  assert.deepEqual(boxOf(points), { left: 0, top: 0.5, width: 1, height: 0 })
})
