import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Items, pick, run } from '../../fixtures/local.ts'

// The engines themselves, with samples whose right answers are known. docs/local.md tells the scores.

const LANGUAGES: Record<string, string> = {
  en: 'The train leaves at nine and arrives before noon.',
  fr: 'Le train part à neuf heures et arrive avant midi.',
  de: 'Der Zug fährt um neun Uhr ab und kommt vor Mittag an.',
  es: 'El tren sale a las nueve y llega antes del mediodía.',
  it: 'Il treno parte alle nove e arriva prima di mezzogiorno.',
  pt: 'O comboio parte às nove horas e chega antes do meio-dia.',
  nl: 'De trein vertrekt om negen uur en komt voor de middag aan.',
  pl: 'Pociąg odjeżdża o dziewiątej i przyjeżdża przed południem.',
  ru: 'Поезд отправляется в девять и прибывает до полудня.',
  ja: '列車は九時に出発し、正午前に到着します。',
  zh: '火车九点出发，中午之前到达。',
  ar: 'يغادر القطار في التاسعة ويصل قبل الظهر.',
}

const FEELINGS: [text: string, sentiment: string][] = [
  ['The room was lovely and the staff were wonderful.', 'Positive'],
  ['I hate this terrible phone.', 'Negative'],
  ['The meeting starts at ten.', 'Neutral'],
  ['The food was not good.', 'Negative'],
  ['Best purchase I ever made!', 'Positive'],
  ['It broke after two days, what a waste of money.', 'Negative'],
  // A list of words does not hear irony, nor what is bad without a bad word: these two are missed.
  ['Great, another delay. Just what I needed.', 'Negative'],
  ['My parcel never arrived.', 'Negative'],
]

const MISSPELT: [wrong: string, right: string][] = [
  ['recieve', 'receive'],
  ['teh', 'the'],
  ['definately', 'definitely'],
  ['seperate', 'separate'],
  ['wrld', 'world'],
  ['yu', 'you'],
  ['accomodate', 'accommodate'],
  ['tomorow', 'tomorrow'],
  ['becuase', 'because'],
  ['goverment', 'government'],
  ['occured', 'occurred'],
  ['freind', 'friend'],
]

/** Everything that a reader would mark. */
const NEWS: [text: string, entities: string[]][] = [
  ['Apple and Microsoft opened offices in Nairobi.', ['Apple', 'Microsoft', 'Nairobi']],
  ['Priya Raghunathan met Chen Wei in Buenos Aires.', ['Priya Raghunathan', 'Chen Wei', 'Buenos Aires']],
  [
    'The European Union fined Google 2.4 billion euros in June 2017.',
    ['European Union', 'Google', '2.4 billion euros', 'June 2017'],
  ],
  [
    'Toyota will build a plant in Kentucky, said Akio Toyoda on Monday.',
    ['Toyota', 'Kentucky', 'Akio Toyoda', 'Monday'],
  ],
  ['Barack Obama spoke at Harvard University.', ['Barack Obama', 'Harvard University']],
  ['Zinedine Zidane lives in Madrid.', ['Zinedine Zidane', 'Madrid']],
]

const LETTER =
  '😀 Write to Ada Lovelace at ada@mail.example or +44 20 7946 0958. Card 4111 1111 1111 1111, ' +
  'account DE89 3704 0044 0532 0130 00, seen from 10.0.0.1. Angela Merkel’s order 4111 1111 1111 1112 is late. ' +
  'Her DNI 12345678Z is not 12345678A; she lives at 221B Baker Street, London NW1 6XE.'

describe('the local engines', () => {
  test('detect the language of a text', async () => {
    const right = await count(Object.entries(LANGUAGES), async ([code, text]) => {
      const { items } = (await run('translation/language_detection', { text })) as Items
      return items[0]?.language === code
    })
    assert.equal(right, 12)
    assert.deepEqual(await run('translation/language_detection', { text: '12345' }), { items: [] })
  })

  test('tell pleased from displeased where the words themselves say so', async () => {
    const right = await count(FEELINGS, async ([text, sentiment]) => {
      const output = (await run('text/sentiment_analysis', { text, language: 'en' })) as { general_sentiment: string }
      return output.general_sentiment === sentiment
    })
    assert.equal(right, 6)
    const { items } = (await run('text/sentiment_analysis', { text: 'Dr. Lee was kind. Lunch was awful.' })) as Items
    assert.deepEqual(items.map(pick('segment', 'sentiment')), [
      ['Dr. Lee was kind.', 'Positive'],
      ['Lunch was awful.', 'Negative'],
    ])
  })

  test('find swear words, also disguised, and leave harmless ones alone; nothing else is claimed', async () => {
    type Judged = Items & { nsfw_likelihood: number }
    for (const text of ['What the fuck', 'fuuuuck this', 'sh1t happens']) {
      const { nsfw_likelihood, items } = (await run('text/moderation', { text })) as Judged
      assert.deepEqual([nsfw_likelihood, items.map(pick('label', 'subcategory'))], [5, [['profanity', 'Profanity']]])
    }
    for (const text of ['A class for assassins in Scunthorpe', 'I will find you and hurt you']) {
      const { nsfw_likelihood, items } = (await run('text/moderation', { text })) as Judged
      // What was looked for is told also where nothing was found.
      assert.deepEqual([nsfw_likelihood, items.map(pick('label'))], [1, [['profanity']]])
    }
  })

  test('find people, places, organisations, dates and sums', async () => {
    const text = '😀 Marie Curie moved from Warsaw to Paris in 1891. Acme Inc. paid John Smith $500.'
    const { items } = (await run('text/named_entity_recognition', { text })) as Items
    assert.deepEqual(items.map(pick('entity', 'category')), [
      ['Marie Curie', 'PERSON'],
      ['Warsaw', 'LOCATION'],
      ['Paris', 'LOCATION'],
      ['1891', 'DATE'],
      ['Acme Inc.', 'ORGANIZATION'],
      ['John Smith', 'PERSON'],
      ['$500', 'MONEY'],
    ])
  })

  test('find fourteen of the eighteen that news name, and nothing else: rare names are missed', async () => {
    let found = 0
    for (const [text, entities] of NEWS) {
      const { items } = (await run('text/named_entity_recognition', { text, language: 'en' })) as Items
      for (const { entity } of items) assert.ok(entities.includes(entity as string), String(entity))
      found += items.length
    }
    assert.equal(found, 14)
  })

  test('tell the parts of speech of a text, its punctuation and its dictionary forms', async () => {
    const { items } = (await run('text/syntax_analysis', {
      text: 'The old birds sang, and Ada can\u2019t hear them.',
    })) as Items
    const words = items.map(({ word, tag, lemma }) => [word, tag, lemma])
    assert.deepEqual(words.slice(0, 5), [
      ['The', 'Determiner', 'the'],
      ['old', 'Adjective', 'old'],
      ['birds', 'Noun', 'bird'],
      ['sang', 'Verb', 'sing'],
      [',', 'Punctuation', null],
    ])
    assert.deepEqual(words.at(-1), ['.', 'Punctuation', null])
    assert.deepEqual(items.find(({ word }) => word === 'sang')!.others, { tense: 'PAST' })
    assert.deepEqual(items.find(({ word }) => word === 'birds')!.others, { number: 'PLURAL' })
    assert.deepEqual(await run('text/syntax_analysis', { text: '' }), { items: [] })
  })

  test('tell the parts of speech of plain sentences', async () => {
    let [right, all] = [0, 0]
    for (const [text, tags] of TAGGED) {
      const { items } = (await run('text/syntax_analysis', { text, language: 'en' })) as Items
      const expected = tags.split(' ')
      const found = items.filter(({ tag }) => tag !== 'Punctuation')
      assert.equal(found.length, expected.length, text)
      all += expected.length
      right += found.filter(({ tag }, index) => tag === SHORT[expected[index]!]).length
    }
    assert.deepEqual([right, all], [58, 58])
  })

  test('pick the phrases and the sentence that matter', async () => {
    const text =
      'The suspension bridge over the river opens in spring. Engineers tested the suspension bridge with trucks. ' +
      'The mayor had soup. The river authority approved the suspension bridge.'
    const { items: keywords } = (await run('text/keyword_extraction', { text })) as Items
    assert.deepEqual([keywords[0]?.keyword, keywords[0]?.importance], ['suspension bridge', 1])
    const { items: topics } = (await run('text/topic_extraction', { text })) as Items
    assert.deepEqual([topics[0]?.category, topics.length], ['Suspension Bridge', 5])
    const { result } = (await run('text/summarize', { text, output_sentences: 2 })) as { result: string }
    assert.match(result, /^The suspension bridge.* The river authority/)
    assert.deepEqual(await run('text/summarize', { text: '' }), { result: '' })
  })

  test('hide personal data, and nothing that only looks like it, at its exact place', async () => {
    type Hidden = { result: string; entities: { offset: number; length: number; content: string }[] }
    const { result, entities } = (await run('text/anonymization', { text: LETTER })) as Hidden
    assert.deepEqual(entities.map(pick('subcategory', 'content')), [
      ['Name', 'Ada Lovelace'],
      ['Email', 'ada@mail.example'],
      ['Phone', '+44 20 7946 0958'],
      ['CreditCard', '4111 1111 1111 1111'],
      ['BankAccountNumber', 'DE89 3704 0044 0532 0130 00'],
      ['IP', '10.0.0.1'],
      ['Name', 'Angela Merkel'],
      ['NationalIdentificationNumber', '12345678Z'],
      ['Address', '221B Baker Street, London NW1 6XE'],
    ])
    for (const { offset, length, content } of entities) {
      assert.equal(LETTER.slice(offset, offset + length), content)
      assert.equal(result.slice(offset, offset + length), '*'.repeat(length))
    }
    assert.equal(result.length, LETTER.length)
  })

  test('find misspelt words and mend most of them', async () => {
    // "Hollo" is an old word for a shout, so it is not reported as a misspelt "hello".
    const right = 'hollo. NASA met Zbigniew; it’s Tom’s www.wrld.example, to tom@wrld.example.'
    const text = `${MISSPELT.map(([wrong]) => wrong).join(' ')} ${right}`
    const { items } = (await run('text/spell_check', { text, language: 'en' })) as Items
    assert.deepEqual(
      items.map(({ text }) => text),
      MISSPELT.map(([wrong]) => wrong),
    )
    const first = items.map(({ suggestions }) => (suggestions as { suggestion: string }[])[0]?.suggestion)
    assert.equal(MISSPELT.filter(([, right], index) => first[index] === right).length, 12)
  })

  test('decline what they cannot read, so that a fallback may', async () => {
    for (const input of [{ text: LANGUAGES.fr }, { text: 'hello', language: 'fr' }, { text: 'a'.repeat(50_001) }]) {
      await assert.rejects(run('text/sentiment_analysis', input), { kind: 'context_length', status: 422 })
    }
    // Too short to tell: taken for English, though it looks like Polish.
    assert.deepEqual(await run('text/keyword_extraction', { text: 'ok' }), { items: [] })
    await assert.rejects(run('text/moderation', { text: 'x', language: 'de' }), /English only, not German/)
  })
})

async function count<Sample>(samples: Sample[], isRight: (sample: Sample) => Promise<boolean>): Promise<number> {
  let right = 0
  for (const sample of samples) if (await isRight(sample)) right++
  return right
}

const SHORT: Readonly<Record<string, string>> = {
  D: 'Determiner',
  A: 'Adjective',
  N: 'Noun',
  P: 'Proper noun',
  V: 'Verb',
  X: 'Auxiliary',
  R: 'Adverb',
  I: 'Adposition',
  C: 'Conjunction',
  O: 'Pronoun',
  M: 'Numeral',
}

/** Sentences of our own, with the parts of speech as a person would tell them. */
const TAGGED: readonly (readonly [text: string, tags: string])[] = [
  ['The river flooded three villages.', 'D N V M N'],
  ['She quickly wrote a long letter.', 'O R V D A N'],
  ['London is a big city.', 'P X D A N'],
  ['They will buy new shoes in Paris.', 'O X V A N I P'],
  ['Our neighbours have two dogs and a cat.', 'O N V M N C D N'],
  ['He sold the red car.', 'O V D A N'],
  ['The children played in the garden.', 'D N V I D N'],
  ['Maria speaks four languages.', 'P V M N'],
  ['We slowly climbed the steep hill.', 'O R V D A N'],
  ['The engineer repaired the old bridge.', 'D N V D A N'],
]
