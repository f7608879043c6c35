import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Viewport } from './open-pdf.ts'
import { paintPage } from './paint-page.ts'

const DOT = { width: 1, height: 1, grey: new Uint8Array(1), matrix: [100, 0, 0, 100, 0, 0] as const }
const MAX_PIXELS = 16_000_000

test('a page takes no more memory than is allowed, whatever it measures', () => {
  for (const [width, height] of [
    [612, 792],
    [9_000, 9_000],
    [60_000_000, 0.01],
    [0.01, 60_000_000],
    [60_000_000, 1],
  ]) {
    const viewport = { width, height, transform: [1, 0, 0, -1, 0, height] } as unknown as Viewport
    const { grey } = paintPage([DOT], viewport)
    assert.ok(grey.length <= MAX_PIXELS * 1.001, `${grey.length} pixels of ${width} by ${height}`)
  }
})
