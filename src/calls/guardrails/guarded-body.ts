import { cannotTake } from '../../translation/dialects/cannot-take.ts'
import { Placeholders } from '../../translation/hooks/pii/placeholders.ts'
import type { Call } from '../call.ts'
import { keepGuarded } from '../content-draft.ts'
import type { CallServices } from '../services/call-services.ts'
import type { NamedModels } from './guardrails-for.ts'
import { type Guards, openGuards } from './guards.ts'

/** The guardrails that apply to a call, with all that they may ask. */
export function guardsOf(
  call: Call,
  models: NamedModels,
  services: CallServices,
  { placeholders = new Placeholders(), before }: { placeholders?: Placeholders; before?: Guards | undefined } = {},
): Guards | undefined {
  const modelTools = (signal: AbortSignal) => services.modelTools(call, signal, services)
  // A call that is only explained sends nothing.
  const outside = services.dryRun ? undefined : { services, modelTools }
  return openGuards(call, models, { placeholders, services, outside }, before)
}

type Asked = { model?: string | null | undefined; fallbacks?: readonly string[] | null | undefined }

/** The body of a request that is no chat, as it may be sent. Throws if it is blocked. `tokens`: the member that has tokens in place of a text. */
export async function guardedBody<Body extends Asked>(
  body: Body,
  call: Call,
  services: CallServices,
  tokens?: keyof Body & string,
): Promise<Body> {
  const guards = guardsOf(call, () => namesIn(body, services), services)
  if (!guards) return body
  if (tokens && guards.checks('input')) noteTokens(tokens, guards)
  const { model, fallbacks, ...texts } = body
  const left = await keepGuarded(
    call.record.content,
    () => guards.value(texts, 'input'),
    (value) => (value === texts ? undefined : { ...body, ...value }),
  )
  return { ...body, ...left }
}

/** No check can read tokens, and a caller could send anything as them. */
function noteTokens(member: string, guards: Guards): void {
  if (guards.enforces('input')) throw cannotTake([member], 'send text: the guardrails of this key cannot read tokens')
  guards.unscanned('tokens')
}

/** What is answered to such a request. */
export async function guardedAnswer<Answer extends object>(
  answer: Answer,
  asked: Asked,
  call: Call,
  services: CallServices,
): Promise<Answer> {
  const guards = guardsOf(call, () => namesIn(asked, services), services)
  return guards ? await guards.value(answer, 'output') : answer
}

/**
 * A task names its model behind its own name: `text/summarize/openai/gpt-5`. Undefined if another model may answer than those that are
 * named: an alias, a provider without a model, or no name at all.
 */
export function namesIn({ model, fallbacks }: Asked, services: CallServices): string[] | undefined {
  const asked = [...(model ? [model] : []), ...(fallbacks ?? [])]
  const names = asked.map((name) => name.split('/').map((_, at, parts) => parts.slice(at).join('/')))
  const isExact = names.length > 0 && names.every((ends) => ends.some((end) => isModel(end, services)))
  return isExact ? names.flat() : undefined
}

function isModel(name: string, { aliases, config: { providers } }: CallServices): boolean {
  const slash = name.indexOf('/')
  return slash > 0 && !aliases.find(name) && !aliases.match(name) && Object.hasOwn(providers, name.slice(0, slash))
}
