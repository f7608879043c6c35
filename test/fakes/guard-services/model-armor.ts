import { recordOf } from '../../../src/base/schema/record.ts'
import { ATTACK, EMAIL, findIn, only, Refused, service, textIn } from './service.ts'

export const TEMPLATE = 'projects/demo/locations/europe-west4/templates/strict'
const DEIDENTIFYING = 'projects/demo/locations/europe-west4/templates/deidentify'
const MAX_CHARACTERS = 10_000
const error = (code: number, status: string, message: string) => new Refused(code, { error: { code, message, status } })
const state = (isFound: boolean) => (isFound ? 'MATCH_FOUND' : 'NO_MATCH_FOUND')
const DONE = { executionState: 'EXECUTION_SUCCESS' }

/** Google Cloud Model Armor: a token, templates by their path, positions as texts without those that are 0, filters that skip long texts. */
export const modelArmor = service((body, { path, headers }) => {
  if (headers.authorization !== 'Bearer token-of-test')
    throw error(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.')
  const [, template, method] = /^\/v1\/(projects\/.+):(sanitizeUserPrompt|sanitizeModelResponse)$/.exec(path) ?? []
  if (template !== TEMPLATE && template !== DEIDENTIFYING) throw error(404, 'NOT_FOUND', 'The template was not found.')
  const member = method === 'sanitizeUserPrompt' ? 'userPromptData' : 'modelResponseData'
  only(body, [member, 'userPrompt'], (name) => error(400, 'INVALID_ARGUMENT', `Unknown name "${name}"`))
  const text = textIn(recordOf(body[member]).text, () => error(400, 'INVALID_ARGUMENT', `${member} is required.`))
  const emails = findIn(text, EMAIL)
  const isAttack = text.includes(ATTACK)
  const isLong = Array.from(text).length > MAX_CHARACTERS
  const jailbreak = isLong
    ? {
        executionState: 'EXECUTION_SKIPPED',
        messageItems: [{ messageType: 'ERROR', message: 'The text is too long.' }],
      }
    : { ...DONE, matchState: state(isAttack), ...(isAttack && { confidenceLevel: 'HIGH' }) }
  const hate = text.includes('hateful')
  return {
    sanitizationResult: {
      filterMatchState: state(emails.length > 0 || isAttack || hate),
      invocationResult: isLong ? 'PARTIAL' : 'SUCCESS',
      filterResults: {
        csam: { csamFilterFilterResult: { ...DONE, matchState: 'NO_MATCH_FOUND' } },
        pi_and_jailbreak: { piAndJailbreakFilterResult: jailbreak },
        rai: {
          raiFilterResult: {
            ...DONE,
            matchState: state(hate),
            raiFilterTypeResults: {
              hate_speech: { matchState: state(hate) },
              dangerous: { matchState: 'NO_MATCH_FOUND' },
            },
          },
        },
        sdp: { sdpFilterResult: template === TEMPLATE ? inspected(emails) : deidentified(text, emails.length > 0) },
      },
    },
  }
})

function inspected(emails: ReturnType<typeof findIn>) {
  const findings = emails.map(({ from, to }) => {
    const codepointRange = { ...(from > 0 && { start: String(from) }), end: String(to) }
    return { infoType: 'EMAIL_ADDRESS', likelihood: 'VERY_LIKELY', location: { codepointRange } }
  })
  return {
    inspectResult: { ...DONE, matchState: state(findings.length > 0), ...(findings.length > 0 && { findings }) },
  }
}

function deidentified(text: string, isFound: boolean) {
  const data = { text: text.replaceAll(EMAIL, '[EMAIL_ADDRESS]') }
  return {
    deidentifyResult: { ...DONE, matchState: state(isFound), data, ...(isFound && { infoTypes: ['EMAIL_ADDRESS'] }) },
  }
}
