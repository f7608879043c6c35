import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/fakes/any-character.ts'
import { countTexts } from './count-texts.ts'
import { type Vocabulary, vocabularyNamed } from './vocabulary.ts'

const NEVER = new AbortController().signal
const PLAIN = { disallowedSpecial: new Set<string>() }

describe('counting text', () => {
  let vocabulary: Vocabulary
  let theirs: (text: string) => number

  before(async () => {
    vocabulary = await vocabularyNamed('o200k_base')
    const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
    theirs = (text) => countTokens(text, PLAIN)
  })

  const ours = (text: string) => countTexts([text], vocabulary, NEVER)

  test('gives counts that are known', async () => {
    assert.equal(await ours(''), 0)
    assert.equal(await ours('hello world'), 2)
    assert.equal(await ours('The quick brown fox jumps over the lazy dog.'), 10)
    // Text that looks like a mark of the format is text.
    assert.ok((await ours('<|endoftext|>')) > 1)
  })

  test('as the published encoder counts, whatever the text', async () => {
    const word = fc.constantFrom(
      'the ',
      "don't ",
      'INTERNATIONAL',
      '123456',
      '  \n\n ',
      '\r\n',
      'größe',
      '漢字かな',
      '👩‍👧',
      '://',
      '\t',
    )
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.array(word, { maxLength: 40 }).map((words) => words.join('')),
    )
    const property = fc.asyncProperty(text, async (text) => {
      // Its pattern takes these two for what they are not, which ours mends.
      if (!/[\ufeff\u0085]/.test(text)) assert.equal(await ours(text), theirs(text))
    })
    await fc.assert(property, { numRuns: 80 })
  })

  test('windows leave no mark on a long text', async () => {
    const line = "    if (it's) {\n\n\n   return `größe {123456}`  \n  // 漢字かな 👩‍👧  \t\n"
    const text = Array.from({ length: 800 }, (_, index) => line.slice(index % line.length) + line).join('')
    assert.ok(text.length > 3 * 21_845)
    assert.equal(await ours(text), theirs(text))
  })

  test('a run without any border takes no longer than other texts', async () => {
    for (const unit of ['a', ' ', '漢', '\n']) assert.ok((await ours(unit.repeat(25_000))) > 100)
  })

  test('a count whose signal is aborted is given up', async () => {
    const texts = Array.from({ length: 1_000 }, () => 'some words '.repeat(10_000))
    const leave = new AbortController()
    const counting = countTexts(texts, vocabulary, leave.signal)
    leave.abort(new Error('gone'))
    await assert.rejects(counting, /gone/)
  })
})
