import type { ChatCodec, Note } from '../../translation/dialects/chat-codec.ts'
import { lowerOutput, loweredNote } from './bounds/lower-output.ts'
import type { ChatAttempt } from '../routing/chat-targets.ts'
import type { WireRequest, WireResponse, SendReport } from '../../translation/wire/wire.ts'
import { isRouterValue } from '../routing/router/router-value.ts'
import { completedChat } from '../routing/alias-defaults.ts'
import { authorize } from './authorize.ts'
import { sendWithCache } from './cached-content.ts'
import type { ChatInput } from './chat-input.ts'
import { MARKED, withCacheMark } from './cache-marks.ts'
import { FILE_NOTE } from './file-texts.ts'
import { governChat } from './governed-chat.ts'
import { codecFor, type AskedChat } from './native-codec.ts'
import { sessionCacheKey } from './session-cache-key.ts'
import { orAborted } from '../or-aborted.ts'
import { containerOwner } from './containers/container-owner.ts'
import { withOwnedContainers } from './containers/owned-containers.ts'
import { withOwnItems, withSignedItems } from './containers/owned-items.ts'
import { refuseForeignServers } from './foreign-servers.ts'
import { refuseProviderFiles } from './responses/provider-files.ts'
import { refuseSharedResources } from './responses/shared-resources.ts'

const STRAY_CANDIDATES: Note = {
  field: 'router_candidates',
  action: 'dropped',
  reason: 'only the router chooses among candidates, and this request names its model',
}

type SendOptions = { signal: AbortSignal; headersMs: number; report: SendReport }
type SentChat = { codec: ChatCodec; coming: Promise<WireResponse> }

/**
 * Encodes and authorizes a chat request, and sends it to the target of the attempt. This is not an async function, because
 * it runs for every call and nearly always waits for nothing but the provider.
 */
export function sendChat(attempt: ChatAttempt, input: ChatInput, { signal, headersMs, report }: SendOptions): SentChat {
  const { target, credential, call, services } = attempt
  const { attachments } = input
  const { fitting, notes: before } = fitFor(attempt, input)
  const codec = codecOf(attempt, fitting)
  const { wire: encoded, notes, cache: plan } = codec.encode(fitting, target)
  call.record.replaceNotes(before ? [...before, ...notes] : notes)
  const { connectMs, idleMs } = target.timeouts
  const options = { signal, timeouts: { connectMs, headersMs, idleMs }, owner: call.caller.owner, report }
  if (plan) return { codec, coming: sendWithCache(attempt, { wire: encoded, plan, signal, attachments }, send) }
  return { codec, coming: send(encoded) }

  function send(request: WireRequest): Promise<WireResponse> {
    // The simulated provider does not read files.
    const wire = attachments && !target.provider.simulated ? attachments.fill(request) : request
    const signed = authorize(wire, target.provider, credential, services)
    if (!(signed instanceof Promise)) return services.send(signed, options)
    const answered = orAborted(signed, signal).then((complete) => services.send(complete, options))
    return answered.then((response) => replaceRefusedToken(response, attempt, signal))
  }
}

/** What names a container in the operator's account is signed for the owner of the call. */
function codecOf(attempt: ChatAttempt, fitting: AskedChat): ChatCodec {
  const codec = codecFor(attempt.target, fitting)
  const isOfResponses = fitting.native?.format === 'responses'
  return withOwnedContainers(isOfResponses ? withSignedItems(codec, containerOwner(attempt)) : codec, attempt)
}

/** The input as this target may receive it, with notes about what was changed. Nearly always it is the input itself. */
function fitFor(attempt: ChatAttempt, input: ChatInput): { fitting: AskedChat; notes?: Note[] } {
  const { target, call, maxOutput, services } = attempt
  refuseSharedResources(input)
  if (!services.config.mcp.atProviders) refuseForeignServers(input, target)
  refuseProviderFiles(input, target.provider.allowFields)
  const owned = withOwnItems(input, containerOwner(attempt))
  const governed = governChat(owned.input, target, call.caller)
  if (governed?.isUnpriced) call.spending.missesFees()
  const allowed = governed?.input ?? owned.input
  const readable = input.files ? input.files.fit(allowed, target) : allowed
  // The fields of an alias are the operator's, so they are not governed.
  const whole = target.defaults ? completedChat(readable, target) : readable
  const marked = withCacheMark(whole, target, call.caller)
  const lowered = maxOutput === undefined ? (marked ?? whole) : lowerOutput(marked ?? whole, maxOutput)
  const cacheKey = sessionCacheKey(lowered, attempt)
  const fitting = cacheKey === undefined ? lowered : { ...lowered, cacheKey }
  const candidates = input.request.router_candidates
  const isStray = candidates != null && candidates.length > 0 && !isRouterValue(input.request.model)
  if (fitting === input && !target.note && !isStray) return { fitting }
  const notes = [...owned.notes, ...(governed?.notes ?? []), ...(readable === allowed ? [] : [FILE_NOTE])]
  if (maxOutput !== undefined) notes.push(loweredNote(maxOutput))
  if (marked) notes.push(MARKED)
  if (isStray) notes.push(STRAY_CANDIDATES)
  return { fitting, notes: target.note ? [target.note, ...notes] : notes }
}

/** A token may be revoked before it expires. The call that was refused waits for a new one, so that the next call has it. */
async function replaceRefusedToken(
  response: WireResponse,
  { credential: { exchange }, services }: ChatAttempt,
  signal: AbortSignal,
): Promise<WireResponse> {
  if (response.status === 401 && exchange) await orAborted(services.accessTokens.refused(exchange), signal)
  return response
}
