import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureOf } from '../http/fixtures/failure-of.ts'
import { played, shown, taskOf, toolsAnswering } from '../http/fixtures/recording.ts'
import type { Adapter } from '../feature.ts'
import amazonSentiment from '../text/entity_sentiment/amazon.ts'
import sentiment from '../text/entity_sentiment/feature.ts'
import googleSentiment from '../text/entity_sentiment/google.ts'
import amazonSyntax from '../text/syntax_analysis/amazon.ts'
import syntax from '../text/syntax_analysis/feature.ts'
import googleSyntax from '../text/syntax_analysis/google.ts'

const CAMERA = sentiment.example.input
const BIRDS = syntax.example.input

test('Amazon: every mention with its own sentiment, in the order of the text', async () => {
  const { output, units, requests } = await played('text/entity_sentiment/amazon', amazonSentiment, taskOf(CAMERA))
  assert.deepEqual(output.items, [
    { type: 'COMMERCIAL_ITEM', text: 'camera', sentiment: 'Positive', begin_offset: 4, end_offset: 10 },
    { type: 'ATTRIBUTE', text: 'battery', sentiment: 'Negative', begin_offset: 30, end_offset: 37 },
    { type: 'OTHER', text: 'joke', sentiment: 'Mixed', begin_offset: 43, end_offset: 47 },
  ])
  assert.equal(units, 300)
  assert.equal(requests[0]?.headers['x-amz-target'], 'Comprehend_20171127.DetectTargetedSentiment')
})

test('Amazon counts code points, and a place where the word does not stand is no place', async () => {
  const mentions = [mention('tea', 2), mention('tea', 0), mention('milk', 6)]
  const json = { Entities: [{ Mentions: mentions }, {}] }
  const output = await outputOf(amazonSentiment, { text: '😀 tea', language: 'en' }, json)
  assert.deepEqual(
    output.items.map(({ text, begin_offset, end_offset }: Item) => [text, begin_offset, end_offset]),
    [
      ['tea', 3, 6],
      ['tea', null, null],
      ['milk', null, null],
    ],
  )
})

test('Google: zeros that it omits are zeros, and strong feelings that cancel out are mixed', async () => {
  const { output, units, requests } = await played('text/entity_sentiment/google', googleSentiment, taskOf(CAMERA))
  assert.deepEqual(
    output.items.map((item) => [item.text, item.sentiment, item.begin_offset]),
    [
      ['camera', 'Positive', 4],
      ['battery', 'Negative', 30],
      ['joke', 'Neutral', 43],
    ],
  )
  assert.equal(units, 1_000)
  assert.equal(requests[0]?.path, '/language/v1/documents:analyzeEntitySentiment')
  const mentions = [
    { text: { content: 'Tea' }, sentiment: { magnitude: 1.4 } },
    { text: { content: 'milk', beginOffset: -1 } },
  ]
  const omitted = await outputOf(googleSentiment, { text: 'Tea, milk' }, { entities: [{ mentions }, {}] })
  assert.deepEqual(omitted.items, [
    { type: 'UNKNOWN', text: 'Tea', sentiment: 'Mixed', begin_offset: 0, end_offset: 3 },
    { type: 'UNKNOWN', text: 'milk', sentiment: 'Neutral', begin_offset: null, end_offset: null },
  ])
  assert.deepEqual(await outputOf(googleSentiment, { text: 'x' }, {}), { items: [] })
})

test('syntax at Amazon: parts of speech in words, with their confidence', async () => {
  const { output, units, requests } = await played('text/syntax_analysis/amazon', amazonSyntax, taskOf(BIRDS))
  assert.deepEqual(
    output.items.map(({ word, tag, importance, lemma }) => [word, tag, importance, lemma]),
    [
      ['Birds', 'Noun', 0.9989, null],
      ['sang', 'Verb', 0.9991, null],
      ['.', 'Punctuation', 1, null],
    ],
  )
  assert.equal(units, 300)
  assert.equal(requests[0]?.headers['x-amz-target'], 'Comprehend_20171127.DetectSyntax')
  const bare = await outputOf(amazonSyntax, BIRDS, { SyntaxTokens: [{ Text: 'x', PartOfSpeech: { Tag: 'O' } }] })
  assert.deepEqual(bare.items, [{ word: 'x', importance: null, tag: 'Other', lemma: null, others: null }])
})

test('syntax at Google: what is unknown or omitted is left out, and the first word is number 0', async () => {
  const { output, units, requests } = await played('text/syntax_analysis/google', googleSyntax, taskOf(BIRDS))
  assert.deepEqual(output.items, [
    item('Birds', 'Noun', 'Birds', { number: 'PLURAL', dependency: 'NSUBJ', head: 1 }),
    item('sang', 'Verb', 'sing', { mood: 'INDICATIVE', tense: 'PAST', dependency: 'ROOT', head: 1 }),
    item('.', 'Punctuation', '.', { dependency: 'P', head: 1 }),
  ])
  assert.deepEqual([units, requests[0]?.path], [1_000, '/language/v1/documents:analyzeSyntax'])
  const tokens = [{ text: { content: 'Go' }, dependencyEdge: { label: 'ROOT' }, partOfSpeech: {} }, { text: {} }]
  assert.deepEqual((await outputOf(googleSyntax, { text: 'Go' }, { tokens })).items, [
    item('Go', 'Other', null, { dependency: 'ROOT', head: 0 }),
    item('', 'Other', null, null),
  ])
})

test('a text that is too long is not sent, and an answer of another shape is not taken for one', async () => {
  const long = { text: 'ä'.repeat(2_501), language: 'de' }
  for (const adapter of [amazonSentiment, amazonSyntax]) {
    const { tools, requests } = toolsAnswering({ status: 200, headers: {}, json: {} })
    const failure = await failureOf((adapter as Adapter).run(taskOf(long), tools))
    assert.deepEqual([failure.status, failure.code, requests.length], [422, 'text_too_long', 0])
  }
  const wrong: [Adapter, object][] = [
    [amazonSentiment as Adapter, { Entities: [{ Mentions: [{ ...mention('a', 0), MentionSentiment: {} }] }] }],
    [amazonSyntax as Adapter, { Tokens: [] }],
    [googleSentiment as Adapter, { entities: 'none' }],
    [googleSyntax as Adapter, { tokens: [{ word: 'x' }] }],
  ]
  for (const [adapter, json] of wrong) {
    const { tools } = toolsAnswering({ status: 200, headers: {}, json })
    assert.equal((await failureOf(adapter.run(taskOf(BIRDS), tools))).kind, 'garbage')
  }
})

test('Amazon is told the language, which it detects if the caller names none', async () => {
  const languages = { Languages: [{ LanguageCode: 'de', Score: 0.9 }] }
  const answers = [languages, { SyntaxTokens: [] }].map((json) => ({ status: 200, headers: {}, json }))
  const { tools, requests } = toolsAnswering({ answers })
  await amazonSyntax.run(taskOf({ text: 'Vögel sangen.' }), tools)
  assert.deepEqual(shown(requests[1]!).body, { Text: 'Vögel sangen.', LanguageCode: 'de' })
})

type Item = { text: string; begin_offset: number | null; end_offset: number | null }

// biome-ignore lint/suspicious/noExplicitAny: the outputs of several tasks
async function outputOf(adapter: unknown, input: object, json: object): Promise<any> {
  const { tools } = toolsAnswering({ status: 200, headers: {}, json })
  return (await (adapter as Adapter).run(taskOf(input), tools)).output
}

function mention(Text: string, BeginOffset: number) {
  return { Text, Type: 'OTHER', MentionSentiment: { Sentiment: 'NEUTRAL' }, BeginOffset }
}

function item(word: string, tag: string, lemma: string | null, others: object | null) {
  return { word, importance: null, tag, lemma, others }
}
