import Type from '../../../base/schema/type.ts'
import { optional } from '../../../base/schema/fields.ts'
import { closedParams } from '../../hooks/closed-params.ts'
import { NOTHING_FOUND, remoteCheck } from '../check.ts'
import { address, optionalCredential, under } from '../fields.ts'
import { verdictReader } from '../reply-reader.ts'
import { fromCodePoints, joinedText, MAX_JOINED, spansInTexts } from './joined-texts.ts'

// https://microsoft.github.io/presidio/api-docs/api-docs.html. Python counts characters as code points.

const SCORE = 0.5

const Position = Type.Integer({ minimum: 0 })
const read = verdictReader(
  Type.Array(Type.Object({ entity_type: Type.String(), start: Position, end: Position, score: Type.Number() })),
)
const names = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 200 })

export default remoteCheck({
  description:
    'Finds personal data with the analyzer of Microsoft Presidio, in the languages and with the recognizers that the server has. ' +
    'The gateway puts placeholders in their place itself.',
  params: closedParams({
    endpoint: address('The address of the analyzer, such as `http://presidio-analyzer:3000`.'),
    credential: optionalCredential('A bearer token, if a proxy before the analyzer wants one'),
    language: optional(Type.String({ minLength: 2, maxLength: 3 }), 'The language of the texts.', { default: 'en' }),
    entities: optional(
      names,
      'What to look for, such as `PERSON` and `US_SSN`. The default is everything the server knows.',
    ),
    score: optional(Type.Number({ minimum: 0, maximum: 1 }), 'How sure the analyzer has to be.', { default: SCORE }),
    allow: optional(names, 'Words that are not personal data here, exactly as they are written.'),
  }),
  auth: () => ({ kind: 'header', header: 'authorization', prefix: 'Bearer', isOptional: true }),
  rewrites: true,
  maxChars: 50_000,
  maxTexts: MAX_JOINED,
  request(texts, { endpoint, language, entities, score, allow }) {
    const body = {
      text: joinedText(texts),
      language: language ?? 'en',
      score_threshold: score ?? SCORE,
      ...(entities && { entities }),
      ...(allow && { allow_list: allow }),
    }
    return { url: under(endpoint, '/analyze'), body }
  },
  read(reply, texts, { score }) {
    const certain = read(reply).filter((one) => one.score >= (score ?? SCORE))
    if (certain.length === 0) return NOTHING_FOUND
    const spans = certain.map(({ start, end, entity_type: rule }) => ({ from: start, to: end, rule }))
    const found = [...new Set(spans.map(({ rule }) => rule))]
    return { found, spans: spansInTexts(fromCodePoints(spans, joinedText(texts)), texts) }
  },
})
