import assert from 'node:assert/strict'
import { test } from 'node:test'
import { played, taskOf } from '../../http/fixtures/recording.ts'
import explicit from '../../image/explicit_content/amazon.ts'
import compare from '../../image/face_compare/amazon.ts'
import findFaces from '../../image/face_detection/amazon.ts'
import recognize from '../../image/face_recognition/amazon.ts'
import findObjects from '../../image/object_detection/amazon.ts'
import parseBill from '../../ocr/financial_parser/amazon.ts'
import parseIdentity from '../../ocr/identity_parser/amazon.ts'
import read from '../../ocr/ocr/amazon.ts'
import anonymize from '../../text/anonymization/amazon.ts'
import keywords from '../../text/keyword_extraction/amazon.ts'
import moderate from '../../text/moderation/amazon.ts'
import entities from '../../text/named_entity_recognition/amazon.ts'
import sentiment from '../../text/sentiment_analysis/amazon.ts'
import translate from '../../translation/automatic_translation/amazon.ts'
import detect from '../../translation/language_detection/amazon.ts'
import { PNG, IMAGE, inEnglish } from './fixtures/files.ts'

/** One call each: the service, the operation, and what is asked. */
const CALLS: [string, Parameters<typeof played>[1], object, service: string, operation: string, body: object][] = [
  ['text/moderation/amazon', moderate, { text: 'You!' }, 'comprehend', 'DetectToxicContent', toxic('You!')],
  ['text/named_entity_recognition/amazon', entities, inEnglish('a'), 'comprehend', 'DetectEntities', english('a')],
  ['text/sentiment_analysis/amazon', sentiment, inEnglish('a'), 'comprehend', 'DetectSentiment', english('a')],
  ['text/keyword_extraction/amazon', keywords, inEnglish('a'), 'comprehend', 'DetectKeyPhrases', english('a')],
  ['text/anonymization/amazon', anonymize, inEnglish('a'), 'comprehend', 'DetectPiiEntities', english('a')],
  [
    'translation/language_detection/amazon',
    detect,
    { text: 'a' },
    'comprehend',
    'DetectDominantLanguage',
    { Text: 'a' },
  ],
  [
    'translation/automatic_translation/amazon',
    translate,
    { text: 'a', target_language: 'fr', source_language: 'auto-detect' },
    'translate',
    'TranslateText',
    { Text: 'a', SourceLanguageCode: 'auto', TargetLanguageCode: 'fr' },
  ],
  ['ocr/ocr/amazon', read, {}, 'textract', 'DetectDocumentText', { Document: { Bytes: IMAGE } }],
  ['ocr/financial_parser/amazon', parseBill, {}, 'textract', 'AnalyzeExpense', { Document: { Bytes: IMAGE } }],
  ['ocr/identity_parser/amazon', parseIdentity, {}, 'textract', 'AnalyzeID', { DocumentPages: [{ Bytes: IMAGE }] }],
  ['image/explicit_content/amazon', explicit, {}, 'rekognition', 'DetectModerationLabels', { Image: { Bytes: IMAGE } }],
  [
    'image/object_detection/amazon',
    findObjects,
    {},
    'rekognition',
    'DetectLabels',
    { MinConfidence: 70, Image: { Bytes: IMAGE } },
  ],
  [
    'image/face_detection/amazon',
    findFaces,
    {},
    'rekognition',
    'DetectFaces',
    { Image: { Bytes: IMAGE }, Attributes: ['ALL'] },
  ],
  [
    'image/face_compare/amazon',
    compare,
    {},
    'rekognition',
    'CompareFaces',
    { SourceImage: { Bytes: IMAGE }, TargetImage: { Bytes: IMAGE } },
  ],
  [
    'image/face_recognition/amazon',
    recognize,
    { collection_id: 'c1' },
    'rekognition',
    'SearchFacesByImage',
    { CollectionId: 'c1', Image: { Bytes: IMAGE } },
  ],
]

const TARGETS: Record<string, string> = {
  comprehend: 'Comprehend_20171127',
  rekognition: 'RekognitionService',
  textract: 'Textract',
  translate: 'AWSShineFrontendService_20170701',
}

for (const [address, adapter, input, service, operation, body] of CALLS) {
  test(`${address}: ${operation}, signed for ${service}`, async () => {
    const { requests } = await played(address, adapter, taskOf(input, { files: { file: PNG, file1: PNG, file2: PNG } }))
    assert.deepEqual(requests, [
      {
        method: 'POST',
        path: `/${service}/`,
        headers: {
          'content-type': 'application/x-amz-json-1.1',
          'x-amz-target': `${TARGETS[service]}.${operation}`,
          authorization: `Proof for ${service}`,
        },
        body,
      },
    ])
  })
}

function english(Text: string) {
  return { Text, LanguageCode: 'en' }
}

function toxic(Text: string) {
  return { TextSegments: [{ Text }], LanguageCode: 'en' }
}
