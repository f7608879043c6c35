import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvLine } from './csv.ts'

test('cells are quoted where they need it, and lines end with CRLF', () => {
  assert.equal(
    csvLine(['a', 1, null, true, 'b,c', 'say "hi"', 'two\nlines']),
    'a,1,,true,"b,c","say ""hi""","two\nlines"\r\n',
  )
})

test('no cell is a formula of a spreadsheet', () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r']) assert.match(csvLine([`${start}cmd|' /C calc'!A0`]), /^"?'/)
  assert.equal(csvLine([-1.5]), '-1.5\r\n')
})
