import Type from '../../../base/schema/type.ts'
import { freeObject, mapOf, optional } from '../../../base/schema/fields.ts'
import { valueError } from '../../../base/schema/issue-messages.ts'
import { type Fields, isRecord, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { closedParams } from '../../hooks/closed-params.ts'
import { NOTHING_FOUND, remoteCheck, type Span, type Verdict } from '../check.ts'
import { address, isAnswer, providerCredential, under } from '../fields.ts'
import { UnreadableVerdict, verdictReader } from '../reply-reader.ts'
import { changedSpans } from './changed-spans.ts'
import { fromCodePoints, placesOf, withoutOverlaps } from './joined-texts.ts'

// https://docs.cloud.google.com/model-armor/reference/rest/v1/SanitizationResult. Its strictest filters read 10,000 tokens; what is
// longer they skip, which counts as a failure.

const TEMPLATE = /^projects\/[a-z0-9:.-]+\/locations\/[a-z0-9-]+\/templates\/[\w-]+$/
const FOUND = 'MATCH_FOUND'
const DONE = 'EXECUTION_SUCCESS'

const read = verdictReader(
  Type.Object({
    sanitizationResult: Type.Object({
      filterMatchState: Type.String(),
      invocationResult: Type.String(),
      filterResults: mapOf(freeObject()),
    }),
  }),
)

/** What one filter says. Without `spans` it does not say where. */
type FilterResult = { found: readonly string[]; spans?: readonly Span[]; isDone: boolean }

export default remoteCheck({
  description:
    'Applies a template of Google Cloud Model Armor. Sensitive data and addresses of malicious pages can be redacted; anything else that ' +
    'is found has to be blocked.',
  params: closedParams({
    template: Type.String({
      minLength: 1,
      maxLength: 300,
      description: 'The template, as `projects/<id>/locations/<location>/templates/<id>`.',
    }),
    endpoint: optional(
      address('An address.'),
      'The address of the service. The default is that of the location of the template.',
    ),
    credential: providerCredential('The provider whose Google credential is used', 'vertex'),
  }),
  rules: ({ template }, loc) => {
    if (TEMPLATE.test(template)) return []
    return [valueError([...loc, 'template'], 'Input should be projects/<id>/locations/<location>/templates/<id>')]
  },
  auth: () => ({ kind: 'provider', provider: 'vertex' }),
  rewrites: true,
  maxChars: 10_000,
  maxTexts: 1,
  request([checked], { template, endpoint }) {
    const [, , , location] = template.split('/')
    const base = endpoint ?? `https://modelarmor.${location}.rep.googleapis.com`
    const text = checked?.text ?? ''
    if (checked && isAnswer([checked]))
      return { url: under(base, `/v1/${template}:sanitizeModelResponse`), body: { modelResponseData: { text } } }
    return { url: under(base, `/v1/${template}:sanitizeUserPrompt`), body: { userPromptData: { text } } }
  },
  read(reply, [checked]) {
    const { filterMatchState, invocationResult, filterResults } = read(reply).sanitizationResult
    const results = Object.entries(filterResults).map(([name, result]) =>
      filterResult(name, result, checked?.text ?? ''),
    )
    const found = results.flatMap((result) => result.found)
    const isComplete = invocationResult === 'SUCCESS' && results.every(({ isDone }) => isDone)
    if (found.length > 0 || filterMatchState === FOUND) return verdict(found, results, isComplete)
    if (isComplete && filterMatchState === 'NO_MATCH_FOUND') return NOTHING_FOUND
    throw new UnreadableVerdict('a filter of the check has not looked at the text')
  },
})

/** Places are worth something only if all of them are known. */
function verdict(found: readonly string[], results: readonly FilterResult[], isComplete: boolean): Verdict {
  const matched = results.filter((result) => result.found.length > 0)
  const isLocated = isComplete && matched.length > 0 && matched.every(({ spans }) => spans && spans.length > 0)
  const rules = found.length > 0 ? [...new Set(found)] : ['match']
  return isLocated
    ? { found: rules, spans: [withoutOverlaps(matched.flatMap(({ spans = [] }) => spans))] }
    : { found: rules }
}

/** A result is inside of an object with the name of its kind: `{"sdpFilterResult": {"inspectResult": {…}}}`. */
function filterResult(name: string, outer: Fields, text: string): FilterResult {
  const wrapped = recordOf(Object.values(outer)[0])
  const result = isRecord(wrapped.inspectResult)
    ? wrapped.inspectResult
    : isRecord(wrapped.deidentifyResult)
      ? wrapped.deidentifyResult
      : wrapped
  const { executionState, matchState } = result
  const isDone = executionState === DONE && (matchState === FOUND || matchState === 'NO_MATCH_FOUND')
  if (matchState !== FOUND) return { found: [], isDone }
  if (name === 'sdp') return { ...sensitiveData(result, text), isDone }
  if (name === 'malicious_uris') return { ...maliciousUris(result, text), isDone }
  const kinds = Object.entries(recordOf(result.raiFilterTypeResults)).filter(
    ([, kind]) => recordOf(kind).matchState === FOUND,
  )
  return { found: kinds.length > 0 ? kinds.map(([kind]) => kind) : [name], isDone }
}

function sensitiveData(result: Fields, text: string): Omit<FilterResult, 'isDone'> {
  const rewritten = recordOf(result.data).text
  if (typeof rewritten === 'string') {
    const types = Array.isArray(result.infoTypes) ? result.infoTypes.filter((type) => typeof type === 'string') : []
    return { found: types.length > 0 ? types : ['sdp'], spans: changedSpans(text, rewritten, types.join(' ') || 'sdp') }
  }
  const spans = recordsIn(result.findings).map(placeOfFinding)
  const found = spans.length > 0 ? spans.map(({ rule }) => rule) : ['sdp']
  return result.findingsTruncated === true ? { found } : { found, spans: fromCodePoints(spans, text) }
}

/** Google writes 64-bit numbers as texts, and leaves out those that are 0. */
function placeOfFinding({ infoType, location }: Fields): Span {
  const { start = 0, end } = recordOf(recordOf(location).codepointRange)
  const [from, to] = [Number(start), Number(end)]
  if (!Number.isInteger(from) || !Number.isInteger(to))
    throw new UnreadableVerdict('the check does not say where a finding stands')
  return { from, to, rule: textOf(infoType) || 'sdp' }
}

function maliciousUris(result: Fields, text: string): Omit<FilterResult, 'isDone'> {
  const uris = recordsIn(result.maliciousUriMatchedItems).map(({ uri }) => textOf(uri))
  const spans = uris.flatMap((uri) => placesOf(uri, text, 'malicious_uri'))
  const isLocated = uris.length > 0 && uris.every((uri) => uri !== '' && text.includes(uri))
  return isLocated ? { found: ['malicious_uri'], spans } : { found: ['malicious_uri'] }
}
