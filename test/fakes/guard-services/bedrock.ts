import { listOf, recordOf } from '../../../src/base/schema/record.ts'
import type { Behaviour } from '../behaviours.ts'
import { bedrockRefusal } from '../polyglot/bedrock-signature.ts'
import type { ServerKeys } from '../s3-signature.ts'
import { ATTACK, EMAIL, only, Refused, service, textIn } from './service.ts'

const MAX_CHARACTERS = 25_000
const invalid = (message: string) => new Refused(400, { message })

/** ApplyGuardrail of Amazon Bedrock: it checks the signature, and masks e-mail addresses without saying where they stand. */
export function bedrock(keys: ServerKeys, now: () => Date): Behaviour {
  return service((body, request) => {
    const refusal = bedrockRefusal(request, keys, now())
    if (refusal) throw new Refused(403, { message: refusal })
    const [, id, version] = /^\/guardrail\/([^/]+)\/version\/([^/]+)\/apply$/.exec(request.path) ?? []
    if (id === undefined)
      throw new Refused(404, { message: 'The guardrail identifier or version provided does not exist.' })
    if (decodeURIComponent(id) !== 'gr1' || version !== '3')
      throw new Refused(404, { message: 'The guardrail identifier or version provided does not exist.' })
    only(body, ['source', 'content', 'outputScope'], invalid)
    if (body.source !== 'INPUT' && body.source !== 'OUTPUT') throw invalid('source')
    const texts = listOf(body.content).map((block) =>
      textIn(recordOf(recordOf(block).text).text, () => invalid('content')),
    )
    if (texts.length === 0 || texts.join('').length > MAX_CHARACTERS) throw invalid('content')
    return judged(texts)
  })
}

function judged(texts: readonly string[]) {
  const all = texts.join('\n')
  const total = texts.join('').length
  const coverage = {
    guardrailCoverage: { textCharacters: { guarded: total, total } },
    usage: { contentPolicyUnits: 1 },
  }
  const email = all.includes(EMAIL)
  const attack = all.includes(ATTACK)
  const seen = all.includes('only detected')
    ? [{ match: 'only detected', type: 'NAME', action: 'NONE', detected: true }]
    : []
  if (!email && !attack)
    return {
      action: 'NONE',
      outputs: [],
      assessments: seen.length > 0 ? [{ sensitiveInformationPolicy: { piiEntities: seen, regexes: [] } }] : [{}],
      ...coverage,
    }
  const piiEntities = [
    ...(email ? [{ match: EMAIL, type: 'EMAIL', action: 'ANONYMIZED', detected: true }] : []),
    ...seen,
  ]
  const filters = attack
    ? [{ type: 'PROMPT_ATTACK', confidence: 'HIGH', filterStrength: 'HIGH', action: 'BLOCKED', detected: true }]
    : []
  return {
    action: 'GUARDRAIL_INTERVENED',
    actionReason: attack ? 'Guardrail blocked.' : 'Guardrail masked.',
    outputs: attack
      ? [{ text: 'This is not allowed.' }]
      : texts.map((text) => ({ text: text.replaceAll(EMAIL, '{EMAIL}') })),
    assessments: [{ contentPolicy: { filters }, sensitiveInformationPolicy: { piiEntities, regexes: [] } }],
    ...coverage,
  }
}
