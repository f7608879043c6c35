import Type, { type Static } from '../../../base/schema/type.ts'
import { optional, words } from '../../../base/schema/fields.ts'
import { closedParams } from '../../hooks/closed-params.ts'
import { type CheckedText, NOTHING_FOUND, remoteCheck, type Span } from '../check.ts'
import { isAnswer, providerCredential } from '../fields.ts'
import { UnreadableVerdict, verdictReader } from '../reply-reader.ts'
import { placesOf, withoutOverlaps } from './joined-texts.ts'

// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ApplyGuardrail.html. A request has at most 25 units of 1,000 characters.

const action = Type.String()
const entries = <Properties extends Record<string, ReturnType<typeof Type.String>>>(properties: Properties) =>
  Type.Optional(Type.Array(Type.Object({ action, ...properties })))
const name = Type.String()
const Assessment = Type.Object({
  topicPolicy: Type.Optional(Type.Object({ topics: entries({ name }) })),
  contentPolicy: Type.Optional(Type.Object({ filters: entries({ type: name }) })),
  wordPolicy: Type.Optional(
    Type.Object({ customWords: entries({ match: name }), managedWordLists: entries({ match: name, type: name }) }),
  ),
  sensitiveInformationPolicy: Type.Optional(
    Type.Object({ piiEntities: entries({ match: name, type: name }), regexes: entries({ name, match: name }) }),
  ),
  contextualGroundingPolicy: Type.Optional(Type.Object({ filters: entries({ type: name }) })),
})
const count = Type.Integer({ minimum: 0 })
const read = verdictReader(
  Type.Object({
    action: words(['NONE', 'GUARDRAIL_INTERVENED']),
    assessments: Type.Array(Assessment),
    guardrailCoverage: Type.Optional(
      Type.Object({ textCharacters: Type.Optional(Type.Object({ guarded: count, total: count })) }),
    ),
  }),
)

/** What a policy of the guardrail found; `match` is the text itself. */
type Detection = { rule: string; match?: string }

export default remoteCheck({
  description:
    'Applies a guardrail of Amazon Bedrock, for models of any provider. Personal data, patterns and words that it blocks or masks can be ' +
    'redacted; topics and contents that it denies have to be blocked. What it is set to detect only is ignored.',
  params: closedParams({
    guardrail: Type.String({
      minLength: 1,
      maxLength: 2_048,
      description: 'The id or the ARN of the guardrail.',
    }),
    version: optional(Type.String({ minLength: 1, maxLength: 8 }), 'Its version, a number or `DRAFT`.', {
      default: 'DRAFT',
    }),
    credential: providerCredential('The provider whose credential and region are used', 'amazon'),
  }),
  auth: () => ({ kind: 'provider', provider: 'amazon' }),
  rewrites: true,
  maxChars: 25_000,
  maxTexts: 100,
  request(texts, { guardrail, version }) {
    const content = texts.map(({ text }) => ({ text: { text } }))
    const url = `/guardrail/${encodeURIComponent(guardrail)}/version/${encodeURIComponent(version ?? 'DRAFT')}/apply`
    return { url, body: { source: isAnswer(texts) ? 'OUTPUT' : 'INPUT', content } }
  },
  read(reply, texts) {
    const { action, assessments, guardrailCoverage } = read(reply)
    const { guarded, total } = guardrailCoverage?.textCharacters ?? { guarded: 0, total: 0 }
    if (action === 'NONE' && guarded < total)
      throw new UnreadableVerdict('the check has not looked at a part of the texts')
    if (action === 'NONE') return NOTHING_FOUND
    const detected = assessments.flatMap(detectionsIn)
    const found = detected.length > 0 ? [...new Set(detected.map(({ rule }) => rule))] : ['intervened']
    const isLocated = guarded === total && detected.length > 0 && detected.every(({ match }) => stands(match, texts))
    return isLocated ? { found, spans: texts.map(({ text }) => spansOf(detected, text)) } : { found }
  },
})

function stands(match: string | undefined, texts: readonly CheckedText[]): boolean {
  return match !== undefined && match !== '' && texts.some(({ text }) => text.includes(match))
}

/** Amazon returns the words that it found, but not where they stand. */
function spansOf(detected: readonly Detection[], text: string): Span[] {
  return withoutOverlaps(detected.flatMap(({ rule, match = '' }) => placesOf(match, text, rule)))
}

function detectionsIn(assessment: Static<typeof Assessment>): Detection[] {
  const {
    topicPolicy,
    contentPolicy,
    wordPolicy,
    sensitiveInformationPolicy: data,
    contextualGroundingPolicy,
  } = assessment
  return [
    ...acted(topicPolicy?.topics).map((topic) => ({ rule: `topic ${topic.name}` })),
    ...acted(contentPolicy?.filters).map(({ type }) => ({ rule: type })),
    ...acted(wordPolicy?.customWords).map(({ match }) => ({ rule: 'word', match })),
    ...acted(wordPolicy?.managedWordLists).map(({ type, match }) => ({ rule: type, match })),
    ...acted(data?.piiEntities).map(({ type, match }) => ({ rule: type, match })),
    ...acted(data?.regexes).map(({ name, match }) => ({ rule: `regex ${name}`, match })),
    ...acted(contextualGroundingPolicy?.filters).map(({ type }) => ({ rule: type })),
  ]
}

/** Entries with the action NONE were detected only. */
function acted<Entry extends { action: string }>(entries: readonly Entry[] = []): Entry[] {
  return entries.filter(({ action }) => action !== 'NONE')
}
