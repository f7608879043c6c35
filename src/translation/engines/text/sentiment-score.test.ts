import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertLinear, GROWTH } from '../../../../test/fakes/cpu.ts'
import { sentencesIn } from './sentences.ts'
import { scoreSentence } from './sentiment-score.ts'

/** As long as a text may be for these engines. */
const LENGTH = 50_000

describe('the score of a sentence', () => {
  test('is 0 without a rated word, and between -1 and 1 with any number of them', () => {
    for (const text of ['', '!!!', 'The train leaves at nine.']) assert.equal(scoreSentence(text), 0)
    assert.ok(between(scoreSentence('wonderful '.repeat(1_000)), 0.99, 1))
    assert.ok(between(scoreSentence('horrible '.repeat(1_000)), -1, -0.99))
  })

  test('grows with adverbs, capitals and exclamation marks, and shrinks with words that weaken', () => {
    const plain = scoreSentence('The food is good')
    assert.ok(plain > 0)
    for (const stronger of ['The food is very good', 'The food is GOOD', 'The food is good!!'])
      assert.ok(scoreSentence(stronger) > plain, stronger)
    assert.ok(between(scoreSentence('The food is slightly good'), 0, plain))
    // Four exclamation marks say all that they can; where all is in capitals, capitals say nothing.
    assert.equal(scoreSentence('good!!!!'), scoreSentence('good!!!!!!!!'))
    assert.equal(scoreSentence('THE FOOD IS GOOD'), plain)
  })

  test('is reversed by a negation up to three words before, however the apostrophe is written', () => {
    for (const text of ['not good', "The food isn't very good", 'The food isn’t good', 'no good', 'never a good idea'])
      assert.ok(scoreSentence(text) < 0, text)
    for (const text of ['not bad', 'without any problem', 'Not that it was cheap, but good'])
      assert.ok(scoreSentence(text) > 0, text)
  })

  test('follows what stands after "but"', () => {
    assert.ok(scoreSentence('The plot was good, but the acting was terrible') < 0)
    assert.ok(scoreSentence('The acting was terrible, but the plot was good') > scoreSentence('terrible good'))
  })

  test('knows emoticons, and the parts of a word with hyphens', () => {
    assert.deepEqual([':)', ':('].map(scoreSentence).map(Math.sign), [1, -1])
    assert.ok(scoreSentence('a nightmare-like, disaster-stricken hotel') < 0)
  })

  test('of hostile texts takes time proportional to their length', () => {
    for (const piece of ['a', '!', 'a.', 'A. ', 'No. ', "a'", 'a-', 'not ', 'but ', 'http://', '\n', ' '])
      assertLinear(piece, (length) => scoreText(piece, length), LENGTH / GROWTH)
  })
})

function scoreText(piece: string, length: number): number[] {
  return sentencesIn(piece.repeat(length / piece.length)).map(scoreSentence)
}

function between(value: number, least: number, max: number): boolean {
  return value >= least && value <= max
}
