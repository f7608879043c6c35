import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CheckedText, Verdict } from '../check.ts'
import azure from './azure_content_safety.ts'
import bedrock from './bedrock.ts'
import { changedSpans } from './changed-spans.ts'
import external from './external.ts'
import lakera from './lakera.ts'
import modelArmor from './model_armor.ts'
import presidio from './presidio.ts'
import { signatureHeaders } from './signature.ts'

// What services can answer beside what their fakes do.

const texts = (...all: string[]): CheckedText[] => all.map((text) => ({ text, phase: 'input' }))
const UNREADABLE = { name: 'UnreadableVerdict' }

describe('Presidio', () => {
  const params = { endpoint: 'http://presidio' }
  const entity = (start: number, end: number, score = 1) => ({ entity_type: 'PERSON', start, end, score })

  test('what overlaps is one place, and what spans two texts is a place in each', () => {
    const verdict = presidio.read([entity(6, 9), entity(0, 3), entity(2, 4)], texts('abcde', 'fgh'), params)
    // The texts are joined with two line breaks: "abcde\n\nfgh".
    assert.deepEqual(verdict.spans, [[{ from: 0, to: 4, rule: 'PERSON' }], [{ from: 0, to: 2, rule: 'PERSON' }]])
  })

  test('a place outside of the text is not believed', () => {
    assert.throws(() => presidio.read([entity(0, 4)], texts('abc'), params), UNREADABLE)
    assert.throws(() => presidio.read([entity(2, 2)], texts('abc'), params), UNREADABLE)
    assert.throws(() => presidio.read([entity(-1, 2)], texts('abc'), params), UNREADABLE)
  })

  test('what the analyzer is not sure of does not count', () => {
    assert.deepEqual(presidio.read([entity(0, 1, 0.4)], texts('abc'), params), { found: [] })
    assert.deepEqual(presidio.read([entity(0, 1, 0.4)], texts('abc'), { ...params, score: 0.3 }).found, ['PERSON'])
  })
})

describe('Azure', () => {
  const params = { endpoint: 'https://a.example', credential: 'env:KEY', api: 'analyze' as const }
  const analysis = (severities: Record<string, number>, blocklistsMatch: object[] = []) => ({
    blocklistsMatch,
    categoriesAnalysis: Object.entries(severities).map(([category, severity]) => ({ category, severity })),
  })
  const ALL = { Hate: 0, SelfHarm: 0, Sexual: 0, Violence: 0 }

  test('a severity counts from the threshold of its category', () => {
    const rows: [object, Record<string, number>, string[]][] = [
      [{}, { ...ALL, Hate: 3 }, []],
      [{}, { ...ALL, Hate: 4 }, ['Hate']],
      [{ severity: 2 }, { ...ALL, Hate: 3, Sexual: 2 }, ['Hate', 'Sexual']],
      [{ severities: { Sexual: 6 } }, { ...ALL, Hate: 4, Sexual: 5 }, ['Hate']],
    ]
    for (const [more, severities, found] of rows)
      assert.deepEqual(azure.read(analysis(severities), texts('x'), { ...params, ...more }), { found })
  })

  test('a blocklist of the resource counts', () => {
    const match = { blocklistName: 'flowers', blocklistItemId: '1', blocklistItemText: 'tulip' }
    assert.deepEqual(azure.read(analysis(ALL, [match]), texts('tulip'), params), { found: ['blocklist flowers'] })
  })

  test('a category that is missing in the answer was not looked for', () => {
    assert.throws(() => azure.read(analysis({ Hate: 0 }), texts('x'), params), UNREADABLE)
    assert.deepEqual(azure.read(analysis({ Hate: 0 }), texts('x'), { ...params, categories: ['Hate'] }), { found: [] })
  })

  test('attacks in documents are told from those of the user, and both have to be judged', () => {
    const shield = { ...params, api: 'shield_prompt' as const }
    const both: CheckedText[] = [...texts('Summarize it.'), { text: 'A page.', phase: 'tool_results' }]
    const { body } = azure.request(both, shield, CONTEXT)
    assert.deepEqual(body, { userPrompt: 'Summarize it.', documents: ['A page.'] })
    const judged = (prompt: boolean, document: boolean) => ({
      userPromptAnalysis: { attackDetected: prompt },
      documentsAnalysis: [{ attackDetected: document }],
    })
    assert.deepEqual(azure.read(judged(false, true), both, shield), { found: ['document_attack'] })
    assert.deepEqual(azure.read(judged(false, false), both, shield), { found: [] })
    assert.throws(() => azure.read({ userPromptAnalysis: { attackDetected: false } }, both, shield), UNREADABLE)
  })
})

const CONTEXT = {
  callId: 'c',
  endpoint: 'chat',
  model: 'm',
  organization: 'o',
  project: 'p',
  key: 'k',
  isStream: false,
}

describe('Lakera', () => {
  const params = { credential: 'env:KEY' }
  const reply = (start: number, end: number, text?: string) => ({
    flagged: true,
    breakdown: [{ detector_type: 'pii/name', detected: true }],
    payload: [{ start, end, detector_type: 'pii/name', ...(text !== undefined && { text }) }],
  })

  test('a position that does not fit its word is corrected by the word', () => {
    const spans = (verdict: Verdict) => verdict.spans?.[0]?.map(({ from, to }) => [from, to])
    assert.deepEqual(spans(lakera.read(reply(0, 3, 'Zoë'), texts('I am Zoë.'), params)), [[5, 8]])
    // An inclusive end, as some versions have.
    assert.deepEqual(spans(lakera.read(reply(5, 7, 'Zoë'), texts('I am Zoë.'), params)), [[5, 8]])
    assert.deepEqual(spans(lakera.read(reply(5, 8), texts('I am Zoë.'), params)), [[5, 8]])
  })

  test('a word that is not in the text cannot be redacted', () => {
    assert.deepEqual(lakera.read(reply(0, 3, 'Eva'), texts('I am Zoë.'), params), { found: ['pii/name'] })
  })

  test('flagged without a reason is still flagged', () => {
    assert.deepEqual(lakera.read({ flagged: true, breakdown: [] }, texts('x'), params), { found: ['flagged'] })
  })
})

describe('Bedrock', () => {
  const params = { guardrail: 'gr1' }
  const reply = (assessment: object, more: object = {}) => ({
    action: 'GUARDRAIL_INTERVENED',
    assessments: [assessment],
    ...more,
  })
  const pii = (match: string, action = 'ANONYMIZED') => ({
    sensitiveInformationPolicy: { piiEntities: [{ match, type: 'NAME', action }] },
  })

  test('every place of a word counts, and one that is not in the texts cannot be redacted', () => {
    const verdict = bedrock.read(reply(pii('aa')), texts('aaa b', 'c aa'), params)
    assert.deepEqual(verdict.spans, [[{ from: 0, to: 3, rule: 'NAME' }], [{ from: 2, to: 4, rule: 'NAME' }]])
    assert.deepEqual(bedrock.read(reply(pii('Eva')), texts('aaa'), params), { found: ['NAME'] })
  })

  test('a topic or an intervention without details has no place', () => {
    const topic = { topicPolicy: { topics: [{ name: 'tax', type: 'DENY', action: 'BLOCKED' }] } }
    assert.deepEqual(bedrock.read(reply(topic), texts('x'), params), { found: ['topic tax'] })
    assert.deepEqual(bedrock.read(reply({}), texts('x'), params), { found: ['intervened'] })
  })

  test('what was detected only is ignored, and what was not looked at is a failure', () => {
    const both = {
      sensitiveInformationPolicy: {
        piiEntities: [...pii('x').sensitiveInformationPolicy.piiEntities, { match: 'y', type: 'AGE', action: 'NONE' }],
      },
    }
    assert.deepEqual(bedrock.read(reply(both), texts('x y'), params).found, ['NAME'])
    const part = { guardrailCoverage: { textCharacters: { guarded: 1, total: 3 } } }
    assert.throws(() => bedrock.read({ action: 'NONE', assessments: [], ...part }, texts('x y'), params), UNREADABLE)
    // What was found in the part that was looked at is blocked, because the rest cannot be trusted.
    assert.deepEqual(bedrock.read(reply(pii('x'), part), texts('x y'), params), { found: ['NAME'] })
  })
})

describe('Model Armor', () => {
  const params = { template: 'projects/p/locations/l/templates/t' }
  const result = (filterResults: object, filterMatchState = 'MATCH_FOUND', invocationResult = 'SUCCESS') => ({
    sanitizationResult: { filterMatchState, invocationResult, filterResults },
  })
  const done = (matchState: string, more: object = {}) => ({ executionState: 'EXECUTION_SUCCESS', matchState, ...more })

  test('a filter that skipped the text makes it unchecked, unless another one found something', () => {
    const skipped = { pi_and_jailbreak: { piAndJailbreakFilterResult: { executionState: 'EXECUTION_SKIPPED' } } }
    for (const invocation of ['SUCCESS', 'PARTIAL', 'FAILURE'])
      assert.throws(
        () => modelArmor.read(result(skipped, 'NO_MATCH_FOUND', invocation), texts('x'), params),
        UNREADABLE,
      )
    const csam = { csam: { csamFilterFilterResult: done('MATCH_FOUND') } }
    assert.deepEqual(modelArmor.read(result({ ...skipped, ...csam }, 'MATCH_FOUND', 'PARTIAL'), texts('x'), params), {
      found: ['csam'],
    })
  })

  test('a text that was rewritten is compared with what was sent', () => {
    const data = { text: 'Call [NAME] at noon, [NAME]!' }
    const sdp = {
      sdp: { sdpFilterResult: { deidentifyResult: done('MATCH_FOUND', { data, infoTypes: ['PERSON_NAME'] }) } },
    }
    const verdict = modelArmor.read(result(sdp), texts('Call Zoë Moreau at noon, Zoë!'), params)
    assert.deepEqual(verdict, {
      found: ['PERSON_NAME'],
      spans: [
        [
          { from: 5, to: 15, rule: 'PERSON_NAME' },
          { from: 25, to: 29, rule: 'PERSON_NAME' },
        ],
      ],
    })
  })

  test('findings that were truncated cannot be redacted', () => {
    const found = { infoType: 'EMAIL', location: { codepointRange: { end: '1' } } }
    const inspected = (more: object) => ({
      sdp: { sdpFilterResult: { inspectResult: done('MATCH_FOUND', { findings: [found], ...more }) } },
    })
    assert.deepEqual(modelArmor.read(result(inspected({})), texts('x y'), params).spans, [
      [{ from: 0, to: 1, rule: 'EMAIL' }],
    ])
    assert.deepEqual(modelArmor.read(result(inspected({ findingsTruncated: true })), texts('x y'), params), {
      found: ['EMAIL'],
    })
  })

  test('the addresses of malicious pages are places', () => {
    const uri = {
      malicious_uris: {
        maliciousUriFilterResult: done('MATCH_FOUND', { maliciousUriMatchedItems: [{ uri: 'http://bad.test' }] }),
      },
    }
    const verdict = modelArmor.read(result(uri), texts('see http://bad.test now'), params)
    assert.deepEqual(verdict.spans, [[{ from: 4, to: 19, rule: 'malicious_uri' }]])
  })

  test('a template has the form of one', () => {
    assert.deepEqual(modelArmor.rules?.(params, ['body']), [])
    for (const template of ['t', 'projects/p/locations/l/templates/t:x', 'projects/../locations/l/templates/t/u'])
      assert.equal(modelArmor.rules?.({ template }, ['body']).length, 1, template)
  })
})

describe('services in a contract', () => {
  const ours = { url: 'http://guard.test/check' }
  const litellm = { ...ours, contract: 'litellm' as const }

  test('as many texts come back as were sent', () => {
    for (const [params, action] of [
      [ours, 'redact'],
      [litellm, 'GUARDRAIL_INTERVENED'],
    ] as const) {
      assert.throws(() => external.read({ action, texts: ['a'] }, texts('a', 'b'), params), UNREADABLE)
      assert.throws(() => external.read({ action, texts: ['a', 1] }, texts('a', 'b'), params), UNREADABLE)
    }
    assert.throws(() => external.read({ action: 'redact' }, texts('a'), ours), UNREADABLE)
  })

  test('a reason is a code, and the sentence of a vendor is left out', () => {
    assert.throws(
      () => external.read({ action: 'block', reasons: ['it says: a secret'] }, texts('a'), ours),
      UNREADABLE,
    )
    assert.deepEqual(external.read({ action: 'block' }, texts('a'), ours), { found: ['block'] })
    const reply = { action: 'BLOCKED', blocked_reason: 'it says: a secret' }
    assert.deepEqual(external.read(reply, texts('a'), litellm), { found: ['blocked'] })
  })

  test('an intervention that changes no text: either nothing was found, or it cannot be applied', () => {
    assert.deepEqual(external.read({ action: 'GUARDRAIL_INTERVENED', texts: ['a'] }, texts('a'), litellm), {
      found: [],
    })
    assert.deepEqual(external.read({ action: 'GUARDRAIL_INTERVENED' }, texts('a'), litellm), { found: ['intervened'] })
    assert.throws(() => external.read({}, texts('a'), litellm), UNREADABLE)
  })

  test('held characters are one number for all texts, or one for each', () => {
    const held = (reply: object) => external.read({ action: 'NONE', ...reply }, texts('a', 'b'), litellm).holdbackChars
    assert.deepEqual(held({ stream_holdback_chars: 4 }), [4, 4])
    assert.deepEqual(held({ stream_holdback_chars: [1, 2] }), [1, 2])
    assert.equal(held({ stream_holdback_chars: null }), undefined)
    assert.throws(() => held({ stream_holdback_chars: [1] }), UNREADABLE)
    assert.throws(() => held({ stream_holdback_chars: -1 }), UNREADABLE)
  })

  test('signatures are those of Standard Webhooks', () => {
    // The example of the specification's reference libraries.
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const signed = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' }
    assert.deepEqual(signatureHeaders(secret, signed), {
      'webhook-id': signed.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })
})

describe('what a service has changed', () => {
  const left = (before: string, after: string) =>
    changedSpans(before, after, 'x')
      .toReversed()
      .reduce((text, { from, to }) => `${text.slice(0, from)}*${text.slice(to)}`, before)

  test('what stands in both texts stays', () => {
    assert.equal(left('a b c', 'a b c'), 'a b c')
    assert.equal(left('mail a@b.c and go', 'mail [EMAIL] and go'), 'mail * and go')
    assert.equal(left('a@b.c', '[EMAIL]'), '*')
    assert.equal(left('x 1 2 y 3 z', 'x [N] y [N] z'), 'x * y * z')
    assert.equal(left('keep this', 'keep'), 'keep*')
    assert.equal(left('a\nsecret\nb', 'a\nb'), 'a\n*\nb')
  })

  test('no word that the service removed is left, however it rewrites', () => {
    const words = ['one', 'two', 'three', 'four']
    for (let round = 0; round < 300; round++) {
      const before = Array.from({ length: 12 }, (_, at) => words[(at * 7 + round * 3 + ((at * round) % 5)) % 4]!)
      const secret = round % 12
      before[secret] = 'secret'
      const after = before.flatMap((word, at) =>
        at === secret ? (round % 3 === 0 ? [] : ['[X]', '[Y]'].slice(0, round % 3)) : [word],
      )
      assert.ok(!left(before.join(' '), after.join(' ')).includes('secret'), before.join(' '))
    }
  })
})
