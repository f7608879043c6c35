import Type from '../../../../base/schema/type.ts'
import { askForJson } from '../../http/ask-provider.ts'
import { offsetsIn } from '../../inputs/code-points.ts'
import { jsonPayload } from '../../http/payload.ts'
import { anonymized } from '../../results/personal-data.ts'
import { replyReader } from '../../http/reply-reader.ts'
import { adapter } from '../../feature.ts'
import { measuredUnits } from '../../measured-units.ts'
import anonymization from './feature.ts'

// https://cloud.google.com/sensitive-data-protection/docs/reference/rest/v2/projects.content/inspect. Google's default list of
// types is shorter than most callers expect.

const LOOKED_FOR = [
  ...['PERSON_NAME', 'EMAIL_ADDRESS', 'PHONE_NUMBER', 'STREET_ADDRESS', 'LOCATION', 'DATE_OF_BIRTH', 'AGE', 'GENDER'],
  ...['CREDIT_CARD_NUMBER', 'IBAN_CODE', 'SWIFT_CODE', 'IP_ADDRESS', 'MAC_ADDRESS', 'URL', 'PASSPORT'],
  ...['US_SOCIAL_SECURITY_NUMBER', 'US_DRIVERS_LICENSE_NUMBER', 'US_INDIVIDUAL_TAXPAYER_IDENTIFICATION_NUMBER'],
  ...['UK_NATIONAL_HEALTH_SERVICE_NUMBER', 'UK_NATIONAL_INSURANCE_NUMBER', 'VEHICLE_IDENTIFICATION_NUMBER', 'PASSWORD'],
].map((name) => ({ name }))

const CONFIDENCE: Record<string, number> = {
  VERY_UNLIKELY: 0.2,
  UNLIKELY: 0.4,
  POSSIBLE: 0.6,
  LIKELY: 0.8,
  VERY_LIKELY: 1,
}

/** Google writes large numbers as texts and omits zeros. */
const Offset = Type.Optional(Type.Union([Type.String(), Type.Integer()]))
const Finding = Type.Object({
  infoType: Type.Object({ name: Type.String() }),
  likelihood: Type.Optional(Type.String()),
  location: Type.Object({ codepointRange: Type.Object({ start: Offset, end: Offset }) }),
})
const readReply = replyReader(Type.Object({ result: Type.Object({ findings: Type.Optional(Type.Array(Finding)) }) }))

export default adapter(anonymization, async (task, tools) => {
  const { text } = task.input
  const inspectConfig = { infoTypes: LOOKED_FOR, includeQuote: false, ...task.params }
  const payload = jsonPayload({ item: { value: text }, inspectConfig })
  const original = await askForJson(tools, { service: 'dlp', path: '/content:inspect', payload }, readReply)
  const offsetOf = offsetsIn(text)
  const found = (original.result.findings ?? []).map(({ infoType, likelihood, location }) => {
    const offset = offsetOf(Number(location.codepointRange.start ?? 0))
    const length = offsetOf(Number(location.codepointRange.end ?? 0)) - offset
    return { offset, length, label: infoType.name, confidence: CONFIDENCE[likelihood ?? ''] ?? null }
  })
  return { output: anonymized(text, found), original, units: measuredUnits(anonymization, task) }
})
