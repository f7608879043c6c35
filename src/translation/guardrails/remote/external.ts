import Type from '../../../base/schema/type.ts'
import { freeObject, optional, words } from '../../../base/schema/fields.ts'
import { closedParams } from '../../hooks/closed-params.ts'
import { type CheckedText, type GuardContext, NOTHING_FOUND, remoteCheck, type Verdict } from '../check.ts'
import { address, isAnswer, optionalCredential, reasonCode, under } from '../fields.ts'
import { UnreadableVerdict, verdictReader } from '../reply-reader.ts'

// A service of the operator or of a vendor. Two contracts: our own, which docs/guardrails.md describes, and the one of LiteLLM
// (https://docs.litellm.ai/docs/adding_provider/generic_guardrail_api), which vendors offer.

const LITELLM_PATH = '/beta/litellm_basic_guardrail_api'

const Texts = Type.Array(Type.String())
const Chars = Type.Integer({ minimum: 0 })
const readOurs = verdictReader(
  Type.Object({
    action: words(['allow', 'block', 'redact']),
    texts: optional(Texts, ''),
    reasons: optional(Type.Array(reasonCode, { maxItems: 100 }), ''),
    holdback_chars: optional(Type.Array(Chars), ''),
  }),
)
const readLitellm = verdictReader(
  Type.Object({
    action: words(['NONE', 'BLOCKED', 'GUARDRAIL_INTERVENED']),
    texts: optional(Texts, ''),
    // One number in its first versions.
    stream_holdback_chars: optional(Type.Union([Chars, Type.Array(Chars)]), ''),
  }),
)

export default remoteCheck({
  description:
    'Asks a service of your own, or one that speaks the generic guardrail contract of LiteLLM, as several vendors do.',
  params: closedParams({
    url: address(
      'The address that requests are sent to. With `litellm`, the path of the contract is added if it is not there.',
    ),
    contract: optional(words(['gatehouse', 'litellm']), 'What is sent and what is understood.', {
      default: 'gatehouse',
    }),
    credential: optionalCredential(
      'The secret that requests of our own contract are signed with, or that is the header `x-api-key` with `litellm`',
    ),
    params: optional(freeObject(), 'Passed on to the service as it is.'),
  }),
  auth: ({ contract }) =>
    contract === 'litellm'
      ? { kind: 'header', header: 'x-api-key', isOptional: true }
      : { kind: 'signature', isOptional: true },
  rewrites: true,
  maxChars: 1_000_000,
  request(texts, { url, contract, params }, context) {
    if (contract === 'litellm') return { url: litellmAddress(url), body: litellmBody(texts, params, context) }
    return { url, body: ourBody(texts, params, context) }
  },
  read: (reply, texts, { contract }) =>
    contract === 'litellm' ? litellmVerdict(reply, texts) : ourVerdict(reply, texts),
})

function ourBody(texts: readonly CheckedText[], params: unknown, context: GuardContext) {
  return {
    texts: texts.map(({ text, phase, isFixed }) => ({ text, phase, ...(isFixed && { fixed: true }) })),
    call_id: context.callId,
    endpoint: context.endpoint,
    model: context.model,
    organization: context.organization,
    project: context.project,
    key: context.key,
    stream: context.isStream,
    params: params ?? {},
  }
}

function ourVerdict(reply: unknown, texts: readonly CheckedText[]): Verdict {
  const { action, texts: rewritten, reasons, holdback_chars } = readOurs(reply)
  const held = holdback(holdback_chars, texts)
  if (action === 'allow') return { ...NOTHING_FOUND, ...held }
  const found = reasons && reasons.length > 0 ? [...new Set(reasons)] : [action]
  if (action === 'block') return { found }
  if (rewritten?.length !== texts.length)
    throw new UnreadableVerdict('the check has not returned as many texts as it got')
  return { found, texts: rewritten, ...held }
}

function litellmAddress(url: string): string {
  return url.endsWith(LITELLM_PATH) ? url : under(url, LITELLM_PATH)
}

function litellmBody(texts: readonly CheckedText[], params: unknown, context: GuardContext) {
  return {
    texts: texts.map(({ text }) => text),
    images: null,
    tools: null,
    tool_calls: null,
    structured_messages: null,
    request_data: {
      user_api_key_hash: context.key,
      user_api_key_team_id: context.project,
      user_api_key_org_id: context.organization,
    },
    input_type: isAnswer(texts) ? 'response' : 'request',
    litellm_call_id: context.callId,
    litellm_trace_id: null,
    model: context.model,
    additional_provider_specific_params: params ?? {},
  }
}

/** The reason that a service gives is a sentence, which may quote the text, so it is left out. */
function litellmVerdict(reply: unknown, texts: readonly CheckedText[]): Verdict {
  const { action, texts: rewritten, stream_holdback_chars: chars } = readLitellm(reply)
  const held = holdback(typeof chars === 'number' ? texts.map(() => chars) : chars, texts)
  if (action === 'BLOCKED') return { found: ['blocked'] }
  if (action === 'NONE') return { ...NOTHING_FOUND, ...held }
  // It may have changed images or tools, which it did not get.
  if (!rewritten || rewritten.length === 0) return { found: ['intervened'] }
  if (rewritten.length !== texts.length)
    throw new UnreadableVerdict('the check has not returned as many texts as it got')
  const isSame = rewritten.every((text, index) => text === texts[index]?.text)
  return isSame ? { ...NOTHING_FOUND, ...held } : { found: ['intervened'], texts: rewritten, ...held }
}

function holdback(
  chars: readonly number[] | null | undefined,
  texts: readonly CheckedText[],
): Pick<Verdict, 'holdbackChars'> {
  if (!chars || chars.length === 0) return {}
  if (chars.length !== texts.length) throw new UnreadableVerdict('the check names other texts than it got')
  return { holdbackChars: chars }
}
