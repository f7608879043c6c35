import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../../test/fakes/any-character.ts'
import { withSpans, withAllSpans, spanFinder } from './places.ts'

const self = (word: string) => word

test('a word is found where it stands alone, or else where it stands at all', () => {
  const offsets = (text: string, word: string) => spanFinder(text)(word).map(({ offset }) => offset)
  assert.deepEqual(offsets('Ada, Adam, Ada', 'Ada'), [0, 11])
  assert.deepEqual(offsets('Adam and Adamant', 'Ada'), [0, 9])
  assert.deepEqual(offsets('in 2012, not 12', '12'), [13])
  assert.deepEqual(offsets('張偉說張偉好', '張偉'), [0, 3])
  assert.deepEqual(offsets('김철수는 왔다', '김철수'), [0])
  assert.deepEqual(offsets('(a@b.c)', 'a@b.c'), [1])
  assert.deepEqual(offsets('anything', ''), [])
  assert.deepEqual(offsets('anything', '  '), [])
  assert.deepEqual(offsets('anything', 'something'), [])
})

test('other quotes, dashes and spaces do not hide a word', () => {
  const text = 'L’Oréal – “Paris”, 12\u00a0rue\nRoyale'
  for (const word of ["L'Oréal", '"Paris"', '12 rue Royale', 'Oréal - “Paris']) {
    const [place] = spanFinder(text)(word)
    assert.ok(place, word)
    assert.equal(place.length, word.length)
  }
})

test('the second mention of a word is the second place that has it', () => {
  const found = withSpans('teh cat, teh dog', ['dog', 'teh', 'teh', 'teh', 'cow'], self)
  assert.deepEqual(found, [
    { item: 'teh', offset: 0, length: 3 },
    { item: 'teh', offset: 9, length: 3 },
    { item: 'dog', offset: 13, length: 3 },
  ])
})

test('everything is found everywhere, but not twice', () => {
  const found = withAllSpans('Ada Byron met Ada; Byron Corp', ['Ada', 'Ada Byron', 'Byron', 'Byron Corp', 'Ada'], self)
  assert.deepEqual(
    found.map(({ item, offset }) => [item, offset]),
    [
      ['Ada Byron', 0],
      ['Ada', 14],
      ['Byron Corp', 19],
    ],
  )
})

test('findings that overlap in part are both kept: nothing of either stays out', () => {
  const found = withAllSpans('John Smith Corp', ['John Smith', 'Smith Corp'], self)
  assert.deepEqual(
    found.map(({ offset, length }) => [offset, length]),
    [
      [0, 10],
      [5, 10],
    ],
  )
})

test('every piece that is cut out of a text is found in it', () => {
  const cuts = fc.tuple(fc.string({ unit: anyCharacter, minLength: 1 }), fc.nat(), fc.nat())
  fc.assert(
    fc.property(cuts, ([text, from, size]) => {
      const start = from % text.length
      const word = text.slice(start, start + 1 + (size % text.length)).trim()
      fc.pre(word !== '')
      const places = spanFinder(text)(word)
      assert.ok(places.length > 0)
      for (const { offset, length } of places) assert.ok(offset >= 0 && offset + length <= text.length)
    }),
  )
})
