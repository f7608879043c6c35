import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertLinear } from '../../../../test/fakes/cpu.ts'
import { checkSpelling } from './spelling.ts'

test('suggestions are written as the word was', () => {
  assert.deepEqual(firstSuggestions('Recieve it. I recieve it.'), ['Receive', 'receive'])
  assert.deepEqual(firstSuggestions('I dont know'), ["don't"])
})

test('names keep their capitals, and a possessive of a known word is known', () => {
  const [found] = checkSpelling({ text: 'He saw recief' })
  assert.ok(found!.suggestions.includes('Recife'), found!.suggestions.join())
  assert.deepEqual(checkSpelling({ text: 'The parcel’s label; Paris’s streets' }), [])
})

test('a long word takes time proportional to its length: the search does not grow with the square of it', () => {
  for (const piece of ['a', 'recieve', 'αβγ'])
    assertLinear(piece, (times) => checkSpelling({ text: piece.repeat(times) }), 60)
})

function firstSuggestions(text: string) {
  return checkSpelling({ text }).map(({ suggestions }) => suggestions[0])
}
