import Type, { type Static } from '../../../base/schema/type.ts'
import { optional } from '../../../base/schema/fields.ts'
import { closedParams } from '../../hooks/closed-params.ts'
import { NOTHING_FOUND, remoteCheck, type Span } from '../check.ts'
import { address, credential, isAnswer, under } from '../fields.ts'
import { verdictReader } from '../reply-reader.ts'
import { fromCodePoints, joinedText, MAX_JOINED, placesOf, spansInTexts } from './joined-texts.ts'

// https://docs.lakera.ai/api-reference/lakera-api/guard. It screens only the last of several messages, so the texts are one message.

const ADDRESS = 'https://api.lakera.ai'

const Position = Type.Integer({ minimum: 0 })
const Match = Type.Object({
  start: Position,
  end: Position,
  text: Type.Optional(Type.String()),
  detector_type: Type.String(),
})
const Detector = Type.Object({ detector_type: Type.String(), detected: Type.Boolean() })
const read = verdictReader(
  Type.Object({
    flagged: Type.Boolean(),
    breakdown: Type.Array(Detector),
    payload: optional(Type.Array(Match), ''),
  }),
)

export default remoteCheck({
  description:
    'Asks Lakera Guard for attacks on the model, personal data, harmful content and unknown links, as a policy of the project there says. ' +
    'Personal data can be redacted; anything else that is found has to be blocked.',
  params: closedParams({
    credential: credential('An API key of Lakera'),
    endpoint: optional(address('An address.'), 'The address of the service, for a region or a server of your own.', {
      default: ADDRESS,
    }),
    project_id: optional(
      Type.String({ minLength: 1, maxLength: 200 }),
      'The project whose policy applies. The default is that of the account.',
    ),
  }),
  auth: () => ({ kind: 'header', header: 'authorization', prefix: 'Bearer' }),
  rewrites: true,
  maxChars: 20_000,
  maxTexts: MAX_JOINED,
  request(texts, { endpoint, project_id }) {
    const role = isAnswer(texts) ? 'assistant' : 'user'
    const body = {
      messages: [{ role, content: joinedText(texts) }],
      breakdown: true,
      payload: true,
      ...(project_id && { project_id }),
    }
    return { url: under(endpoint ?? ADDRESS, '/v2/guard'), body }
  },
  read(reply, texts) {
    const { flagged, breakdown, payload } = read(reply)
    if (!flagged) return NOTHING_FOUND
    const detected = new Set(breakdown.flatMap(({ detector_type: type, detected }) => (detected ? [type] : [])))
    const found = detected.size > 0 ? [...detected] : ['flagged']
    const spans = placesIn(joinedText(texts), payload ?? [])
    const located = new Set(spans.map(({ rule }) => rule))
    return found.every((rule) => located.has(rule)) ? { found, spans: spansInTexts(spans, texts) } : { found }
  },
})

/** The positions are used if the word stands there, and otherwise every place of the word. */
function placesIn(text: string, matches: readonly Static<typeof Match>[]): Span[] {
  return matches.flatMap(({ start, end, text: word, detector_type: rule }) => {
    const [place] = fromCodePoints([{ from: start, to: end, rule }], text)
    if (!place || (word !== undefined && text.slice(place.from, place.to) !== word))
      return placesOf(word ?? '', text, rule)
    return [place]
  })
}
