import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCheap } from '../../../../test/fakes/cpu.ts'
import { cpuOf } from '../fixtures/cpu-of.ts'
import { checkSpelling } from './spelling.ts'

const ORDINARY = 'recieve definately seperate accomodate tomorow becuase goverment occured freind neccesary'

test('suggestions are written as the word was', () => {
  assert.deepEqual(firstSuggestions('Recieve it. I recieve it.'), ['Receive', 'receive'])
  assert.deepEqual(firstSuggestions('I dont know'), ["don't"])
})

test('names keep their capitals, and a possessive of a known word is known', () => {
  const [found] = checkSpelling({ text: 'He saw recief' })
  assert.ok(found!.suggestions.includes('Recife'), found!.suggestions.join())
  assert.deepEqual(checkSpelling({ text: 'The parcel’s label; Paris’s streets' }), [])
})

test('a long word takes no more time than ten ordinary ones: the search does not grow with its length', () => {
  for (const word of ['a'.repeat(1_000), 'recieve'.repeat(1_000), 'αβγ'.repeat(1_000)])
    assertCheap(word.slice(0, 10), () => {
      const ordinary = cpuOf(() => checkSpelling({ text: ORDINARY }))
      const long = cpuOf(() => checkSpelling({ text: word }))
      return long < ordinary ? undefined : `${long} µs, ${ordinary} µs for ordinary words`
    })
})

function firstSuggestions(text: string) {
  return checkSpelling({ text }).map(({ suggestions }) => suggestions[0])
}
