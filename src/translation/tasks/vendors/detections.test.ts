import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issues } from '../../../base/schema/validation-issues.ts'
import type { JsonSchema } from '../../../base/schema/json-schema.ts'
import { fileOf, type Recording } from '../http/fixtures/recording.ts'
import { FEATURES } from '../index.ts'
import { failureOfAdapter, JSON_TYPE, runAdapter } from './fixtures/run-adapter.ts'

// Scores, boxes and judgements, over the providers that report them in different ways.

const PDF = fileOf('a.pdf', 'application/pdf', '%PDF-1.7')

/** Google's JSON has no member for a number that is zero, an empty list or the first word of an enumeration. */
const WITHOUT_ZEROS: [address: string, answer: object, output: object][] = [
  [
    'text/moderation/google',
    { moderationCategories: [{ name: 'Toxic', confidence: 0.5 }, { name: 'Firearms & Weapons' }] },
    { nsfw_likelihood_score: 0.5, items: [{ likelihood_score: 0.5 }, { likelihood: 1, likelihood_score: 0 }] },
  ],
  ['text/moderation/google', { languageCode: 'en' }, { nsfw_likelihood: 0, items: [] }],
  [
    'text/sentiment_analysis/google',
    { documentSentiment: {}, sentences: [{ text: { content: 'Hm.' }, sentiment: { magnitude: 0.1 } }] },
    { general_sentiment: 'Neutral', general_sentiment_rate: 0, items: [{ sentiment: 'Neutral', sentiment_rate: 0 }] },
  ],
  [
    'text/named_entity_recognition/google',
    { entities: [{ name: 'it' }] },
    { items: [{ entity: 'it', category: 'UNKNOWN', importance: 0 }] },
  ],
  [
    'text/topic_extraction/google',
    { categories: [{ name: '/News' }, { name: '/Food', confidence: 0.2 }] },
    {
      items: [
        { category: 'Food', importance: 0.2 },
        { category: 'News', importance: 0 },
      ],
    },
  ],
  [
    'text/anonymization/google',
    { result: { findings: [{ infoType: { name: 'AGE' }, location: { codepointRange: { end: '1' } } }] } },
    { entities: [{ offset: 0, length: 1, confidence_score: null }] },
  ],
  [
    'image/face_detection/google',
    visual({ faceAnnotations: [{ detectionConfidence: 0.9, landmarks: [{ type: 'LEFT_EYE', position: {} }] }] }),
    { items: [{ confidence: 0.9, poses: { pitch: 0, roll: 0, yaw: 0 }, landmarks: { left_eye: [0, 0] } }] },
  ],
  [
    'image/object_detection/google',
    visual({
      localizedObjectAnnotations: [{ name: 'Cat', score: 1, boundingPoly: { normalizedVertices: [{}, { x: 1 }] } }],
    }),
    { items: [{ label: 'Cat', confidence: 1, x_min: 0, x_max: 1, y_min: 0, y_max: 0 }] },
  ],
  ['image/logo_detection/google', visual({}), { items: [] }],
  [
    'ocr/ocr/google',
    visual({ fullTextAnnotation: { pages: [{ blocks: [{ paragraphs: [{ words: [{ symbols: [{}] }] }] }] }] } }),
    { text: '', bounding_boxes: [{ text: '' }] },
  ],
  [
    'ocr/ocr_tables_async/google',
    { document: { text: 'A', pages: [{ tables: [{ headerRows: [{}], bodyRows: [{ cells: [{}] }] }] }] } },
    { pages: [{ tables: [{ rows: [{ cells: [] }, { cells: [{ text: '', confidence: 0 }] }] }] }] },
  ],
  [
    'ocr/identity_parser/google',
    { document: { entities: [{ type: 'Family Name', mentionText: 'Byron' }, { mentionText: 'x' }] } },
    { extracted_data: [{ last_name: { value: 'BYRON', confidence: 0 } }] },
  ],
]

for (const [address, answer, expected] of WITHOUT_ZEROS) {
  test(`${address}: what Google omits is zero, empty or its default`, async () => {
    const { output } = await runAdapter(address, { text: 'a' }, {}, answering(answer))
    assert.partialDeepStrictEqual(output as object, expected)
    assert.deepEqual(issues(outputOf(address), output, []), [])
  })
}

test('an image that Google did not judge is not judged harmless', async () => {
  const { kind } = await failureOfAdapter('image/explicit_content/google', {}, answering(visual({})))
  assert.equal(kind, 'garbage')
})

const HARDLY = 0.08
const BOX = { Left: -0.1, Top: 0.2, Width: 0.3, Height: 0.9 }

/** Detectors with a finding that they believe and one that they hardly believe. */
const DETECTIONS: [address: string, answer: object][] = [
  [
    'image/object_detection/google',
    visual({ localizedObjectAnnotations: [0.9, HARDLY].map((score) => ({ name: 'Cat', score })) }),
  ],
  [
    'image/object_detection/microsoft',
    {
      metadata: { width: 10, height: 10 },
      objectsResult: {
        values: [0.9, HARDLY].map((confidence) => ({
          boundingBox: { x: 8, y: 0, w: 5, h: 1 },
          tags: [{ name: 'cat', confidence }],
        })),
      },
    },
  ],
  [
    'image/object_detection/amazon',
    {
      Labels: [
        { Name: 'Cat', Confidence: 90, Instances: [90, 8].map((Confidence) => ({ Confidence, BoundingBox: BOX })) },
      ],
    },
  ],
  ['image/object_detection/api4ai', seen([0.9, HARDLY].map((cat) => ({ cat })))],
  ['image/face_detection/api4ai', seen([0.9, HARDLY].map((face) => ({ face })))],
  ['image/face_detection/amazon', { FaceDetails: [90, 8].map((Confidence) => ({ Confidence, BoundingBox: BOX })) }],
  [
    'image/face_detection/google',
    visual({ faceAnnotations: [0.9, HARDLY].map((one) => ({ detectionConfidence: one })) }),
  ],
  [
    'image/logo_detection/google',
    visual({ logoAnnotations: [0.9, HARDLY].map((score) => ({ score, description: 'A' })) }),
  ],
  ['image/logo_detection/api4ai', seen([0.9, HARDLY].map((acme) => ({ acme })))],
  [
    'image/logo_detection/microsoft',
    { brands: [0.9, HARDLY].map((confidence) => ({ name: 'A', confidence, rectangle: { x: 0, y: 0, w: 1, h: 1 } })) },
  ],
]

for (const [address, answer] of DETECTIONS) {
  test(`${address}: what the provider hardly believes is left out, and boxes end at the edge`, async () => {
    const { items } = (await runAdapter(address, {}, {}, answering(answer))).output as { items: object[] }
    assert.equal(items.length, 1)
    assert.deepEqual(issues(outputOf(address), { items }, []), [])
    const numbers = JSON.stringify(items).match(/"(?:x|y)_(?:min|max)":[-\d.]+/g) ?? []
    for (const number of numbers) assert.ok(Number(number.slice(8)) >= 0 && Number(number.slice(8)) <= 1, number)
  })
}

test('a box that begins outside of the image is cut off there, and not moved', async () => {
  const recording = answering({ FaceDetails: [{ Confidence: 99, BoundingBox: BOX }] })
  const { items } = (await runAdapter('image/face_detection/amazon', {}, {}, recording)).output as {
    items: { bounding_box: object }[]
  }
  assert.deepEqual(items[0]!.bounding_box, { x_min: 0, x_max: 0.2, y_min: 0.2, y_max: 1 })
})

const WORD = { BlockType: 'WORD', Id: 'w', Text: 'a', Confidence: 87.5 }

/** Providers that count in percent, or report a hair above 1. */
const SURE: [address: string, answers: object[], found: RegExp][] = [
  [
    'ocr/ocr_async/amazon',
    [
      {},
      { JobId: 'j' },
      {
        JobStatus: 'SUCCEEDED',
        Blocks: [
          { BlockType: 'LINE', Id: 'l', Text: 'a', Confidence: 99.9, Relationships: [{ Type: 'CHILD', Ids: ['w'] }] },
          WORD,
        ],
      },
    ],
    /"confidence":0\.999.*"confidence":0\.875|"confidence":0\.875.*"confidence":0\.999/,
  ],
  [
    'ocr/ocr_tables_async/amazon',
    [
      {},
      { JobId: 'j' },
      {
        JobStatus: 'SUCCEEDED',
        Blocks: [
          { BlockType: 'TABLE', Id: 't', Relationships: [{ Type: 'CHILD', Ids: ['c'] }] },
          { BlockType: 'CELL', Id: 'c', RowIndex: 1, ColumnIndex: 1, Confidence: 42 },
        ],
      },
    ],
    /"confidence":0\.42/,
  ],
  ['text/plagia_detection/winstonai', [{ result: { score: 71 }, sources: [] }], /"plagia_score":0\.71/],
  ['image/face_recognition/facepp', [{ results: [{ confidence: 88, face_token: 'f' }] }], /"confidence":0\.88/],
  [
    'text/named_entity_recognition/amazon',
    [{ Entities: [{ Text: 'a', Type: 'DATE', Score: 1.0000002 }] }],
    /"importance":1[,}]/,
  ],
]

for (const [address, answers, found] of SURE) {
  test(`${address}: confidence is from 0 to 1`, async () => {
    const input = { text: 'a', language: 'en', collection_id: 'c' }
    const files = address.startsWith('ocr') ? { files: { file: PDF } } : {}
    const { output } = await runAdapter(address, input, files, { answers: answers.map(answering) })
    assert.match(JSON.stringify(output), found)
    assert.deepEqual(issues(outputOf(address), output, []), [])
  })
}

test('every output says of a confidence, a score or an importance that it is from 0 to 1', () => {
  for (const { feature, subfeature, output } of FEATURES) {
    // Search engines rank by a number of their own.
    if (subfeature === 'search') continue
    for (const [name, schema] of numbersIn(output as JsonSchema)) {
      const { minimum, maximum } = schema
      assert.deepEqual([minimum, maximum], [0, 1], `${feature}/${subfeature}: ${name}`)
    }
  }
})

const POLES = { positive: 0.3, neutral: 0.1, negative: 0.6 }

const MIXED: [address: string, answer: object, sentiment: string, rate: number][] = [
  [
    'text/sentiment_analysis/amazon',
    { Sentiment: 'MIXED', SentimentScore: { Positive: 0.1, Negative: 0.2, Neutral: 0.05, Mixed: 0.65 } },
    'Negative',
    0.2,
  ],
  [
    'text/sentiment_analysis/microsoft',
    {
      results: {
        documents: [{ sentiment: 'mixed', confidenceScores: POLES, sentences: [] }],
        errors: [],
      },
    },
    'Negative',
    0.6,
  ],
  [
    'text/sentiment_analysis/google',
    {
      documentSentiment: { score: -0.02, magnitude: 1.6 },
      sentences: [0.7, -0.9].map((score) => ({ text: { content: 'x' }, sentiment: { score } })),
    },
    'Negative',
    0.9,
  ],
]

for (const [address, answer, sentiment, rate] of MIXED) {
  test(`${address}: of mixed sentiment, the stronger pole is reported`, async () => {
    const { output } = await runAdapter(address, { text: 'a', language: 'en' }, {}, answering(answer))
    const { general_sentiment, general_sentiment_rate } = output as Record<string, unknown>
    assert.deepEqual([general_sentiment, general_sentiment_rate], [sentiment, rate])
  })
}

function answering(json: object): Recording {
  return { status: 200, headers: JSON_TYPE, json }
}

function visual(found: object): object {
  return { responses: [found] }
}

/** An answer of api4ai with one object per set of classes. */
function seen(classes: Record<string, number>[]): object {
  const objects = classes.map((one) => ({ box: [0.8, 0.1, 0.4, 0.2], entities: [{ kind: 'classes', classes: one }] }))
  return { results: [{ status: { code: 'ok' }, entities: [{ kind: 'objects', objects }] }] }
}

function outputOf(address: string): JsonSchema {
  const { output } = FEATURES.find(({ feature, subfeature }) => address.startsWith(`${feature}/${subfeature}/`))!
  return output as JsonSchema
}

/** Rates of taxes and discounts, and the strength of an emotion, are in percent. */
const OTHER_SCALES = ['tax_rate', 'discount_rate', 'emotion_score']

function numbersIn(schema: JsonSchema, name = ''): [string, JsonSchema][] {
  const { properties = {}, items, anyOf = [] } = schema
  const own: [string, JsonSchema][] =
    schema.type === 'number' && /confidence|score|importance|_rate$/.test(name) && !OTHER_SCALES.includes(name)
      ? [[name, schema]]
      : []
  const inner = Object.entries(properties).flatMap(([key, one]) => numbersIn(one, key))
  return [...own, ...inner, ...[...anyOf, ...(items ? [items] : [])].flatMap((one) => numbersIn(one, name))]
}
