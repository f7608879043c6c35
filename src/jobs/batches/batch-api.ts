import { authorize } from '../../calls/upstream/authorize.ts'
import { credentialsOf, type ChosenCredential } from '../../calls/attempts/credentials.ts'
import type { CallServices } from '../../calls/services/call-services.ts'
import { MB } from '../../base/units/units.ts'
import { isRecord } from '../../base/schema/record.ts'
import type { Provider } from '../../platform/config/provider-settings.ts'
import { readText } from '../../platform/net/read-text.ts'
import type { ProviderBatch } from '../../platform/store/batches/provider-batches.ts'
import { BATCH_WIRES } from '../../translation/batches/index.ts'
import { type AskBatchApi, type BatchAsk, type BatchWire, NoBatch } from '../../translation/batches/batch-wire.ts'
import { DIALECTS } from '../../translation/dialects/index.ts'
import { tryParse } from '../../translation/json/try-parse.ts'
import { readRetryAfter } from '../../translation/wire/retry-after.ts'
import { MAX_ERROR_BYTES } from '../../translation/wire/upstream-problem.ts'
import { GATEWAY_OWNER, type WireBody, type WireResponse } from '../../translation/wire/wire.ts'

/** Google's batches have their answers in them. */
const MAX_ANSWER_BYTES = 64 * MB

type ApiServices = Pick<CallServices, 'config' | 'send' | 'accessTokens' | 'timeouts' | 'now'>

/** The batches of a provider, with one of its credentials. */
export type OpenedApi = {
  wire: BatchWire
  ask: AskBatchApi
  read(path: string): Promise<WireBody>
}

type Account = Pick<ProviderBatch, 'provider' | 'credential' | 'credentialName'>

/** Undefined if the operator has removed the provider, its key or its batches. A batch belongs to the account that created it. */
export function openBatchApi(account: Account, services: ApiServices, signal: AbortSignal): OpenedApi | undefined {
  const provider = services.config.providers[account.provider]
  const credential = provider && credentialOf(account, provider)
  if (!provider?.batches || !credential) return undefined
  const send = (ask: BatchAsk) => sendTo({ provider, credential }, ask, { services, signal })
  return {
    wire: BATCH_WIRES[provider.batches.wire],
    read: async (path) => (await send({ method: 'GET', path })).body,
    ask: async (ask) => {
      const value = tryParse(await readText((await send(ask)).body, MAX_ANSWER_BYTES))
      if (isRecord(value)) return value
      throw new NoBatch()
    },
  }
}

function credentialOf({ credential, credentialName }: Account, provider: Provider): ChosenCredential | undefined {
  const all = credentialsOf({ id: '', provider })
  const same = all[credential]
  return credentialName === null || same?.name === credentialName
    ? same
    : all.find(({ name }) => name === credentialName)
}

async function sendTo(
  { provider, credential }: { provider: Provider; credential: ChosenCredential },
  { method, path, headers = {}, body }: BatchAsk,
  { services, signal }: { services: ApiServices; signal: AbortSignal },
): Promise<WireResponse> {
  const request = { method, url: `${provider.baseUrl}${path}`, headers, body: body ?? null }
  const signed = await authorize(request, provider, credential, services)
  const response = await services.send(signed, { signal, timeouts: services.timeouts, owner: GATEWAY_OWNER })
  if (response.status >= 200 && response.status < 300) return response
  const text = await readText(response.body, MAX_ERROR_BYTES).catch(() => '')
  const failure = DIALECTS.openai.chat.problem(response.status, text)
  failure.retryAfterSeconds ??= readRetryAfter(response, services.now())
  throw failure
}
