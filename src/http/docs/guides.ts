import { readFileSync } from 'node:fs'
import { FAILURES, type Next } from '../../calls/attempts/failures.ts'
import type { Guide, OpenApiDocument } from '../../contract/openapi/document.ts'
import { webhooksOf } from '../../contract/openapi/read-document.ts'
import { PROBLEMS } from '../../contract/problems.ts'

// What no schema can say: the chapters of the docs page beside the operations. Backticks mark code.

/** What there is to say about an API with chats, about one that sends webhooks, and about every one. */
export function guidesFor(paths: OpenApiDocument['paths']): Guide[] {
  const ofChats = paths['/v3/chat/completions'] ? [STREAMING, failures()] : []
  const sendsWebhooks = Object.keys(webhooksOf(paths)).length > 0
  return [...ofChats, ...(sendsWebhooks ? [receivers()] : []), errors()]
}

const ON_THE_WIRE = `data: {… "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, …}]}

data: {… "choices": [{"index": 0, "delta": {"content": "Hello!"}, …}]}

data: {… "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}

data: [DONE]`

const STREAMING: Guide = {
  id: 'streaming',
  name: 'Streaming',
  blocks: [
    { text: 'With `"stream": true` the gateway sends a chat as server-sent events while the model writes it.' },
    {
      list: [
        'Each event is one `data:` line with a chunk as JSON; an empty line follows it.',
        'A chunk adds its `delta` to the answer with the same `index`.',
        '`finish_reason` is null until the chunk that ends an answer.',
        'With `"stream_options": {"include_usage": true}` the last chunk has `usage` and no choices.',
        '`data: [DONE]` ends a complete stream.',
        'A failure before the first event is an ordinary error with its own status.',
        'A later failure is one `data: {"error": …}` event. No `[DONE]` follows, because the answer is not complete.',
        'Lines that begin with a colon are comments that keep the connection open. Ignore them.',
        'Close the connection to stop the answer. The gateway then stops the provider, too.',
      ],
    },
    { label: 'On the wire, shortened', code: ON_THE_WIRE },
  ],
}

/** What the gateway does after a failure, in words. */
export const NEXT_WORDS: Record<Next, string> = {
  retry: 'Try the next model. If none is left, retry the same model once, or as often as the retries say.',
  'next credential': 'Try another key of the same provider. If none is left, try the next model.',
  'next target': 'Try the next model.',
  stop: 'Stop and report the error.',
}

/** The table is the one that the gateway itself uses. */
function failures(): Guide {
  const rows = Object.entries(FAILURES).map(([kind, { when, next, unhealthy, tell }]) => {
    const reported = tell === 'as it is' ? 'the error of the provider' : tell
    return [kind, when, NEXT_WORDS[next], unhealthy ? 'yes' : 'no', reported]
  })
  return {
    id: 'failures',
    name: 'When a provider fails',
    blocks: [
      { text: 'The gateway tries the model first and then its fallbacks, in order.' },
      {
        list: [
          'The owner of a key has three extra attempts, and one more for every five requests.',
          '`retries` (0 to 5) of `routing`, of an alias or of the config file says how often the gateway retries a model before it tries the next one. A request that an SDK sends again (`x-stainless-retry-count` above 0) gets no retry of the gateway.',
          'Errors that a retry would not solve, or only after more than 60 seconds, carry `x-should-retry: false`. A 429 or 503 with a shorter wait carries `Retry-After` and `retry-after-ms`.',
          'The gateway waits for `Retry-After` up to 30 seconds. If a provider asks for more, the gateway moves on at once.',
          'Five failures in a row open the circuit of a model for 20 seconds. Then one request tests the model. Only some failures count; the table says which.',
          'A circuit opens for the owner of the key. A circuit opens for everyone when two owners see the same failures, or when the gateway itself cannot connect to the provider.',
          'Some requests carry `extra_headers`, `extra_body` or unknown fields. Their failures open a circuit only for such requests of the same owner, unless the gateway could not connect.',
          'After the first word of a stream, another model continues only where that is safe: the model accepts the text so far as the beginning of its answer, or starts with the same words. Otherwise the stream ends with an error.',
        ],
      },
      { heads: ['Failure', 'When', 'What follows', 'Opens a circuit', 'Error when no model is left'], rows },
    ],
  }
}

/** The same files that the tests run. */
const RECEIVERS = [
  ['Node', 'node.mjs'],
  ['Python', 'python.py'],
  ['Go', 'go/main.go'],
  ['openssl', 'openssl.sh'],
  ['openssl, with the signed time', 'openssl-timestamp.sh'],
] as const

function receivers(): Guide {
  const samples = RECEIVERS.map(([label, file]) => {
    return { label, code: readFileSync(new URL(`receivers/${file}`, import.meta.url), 'utf8').trimEnd() }
  })
  return {
    id: 'receivers',
    name: 'Receiving webhooks',
    blocks: [
      {
        text: 'The gateway signs the raw body of a webhook. Verify the signature over the bytes as they arrived, before you parse them: JSON that was parsed and written again may have other bytes, for example in large numbers. The signature is in `X-Service-Signature`, in hexadecimal. The public key is at `GET /v3/webhooks/public-key`. Answer with any 2xx status within 30 seconds. After a 5xx status, a timeout or a broken connection the gateway sends the same bytes again, up to three times.',
      },
      {
        text: 'A second signature follows Standard Webhooks and covers the time as well. `webhook-signature` is `v1a,` followed by the base64 of an Ed25519 signature of `webhook-id`, `webhook-timestamp` and the body, joined by dots. Every attempt has a new signature. The public key is at `GET /v3/webhooks/public-key/ed25519`. Refuse a timestamp that is more than five minutes off, so that an old webhook cannot be replayed.',
      },
      ...samples,
    ],
  }
}

function errors(): Guide {
  const rows = Object.entries(PROBLEMS).map(([code, { status, type, sentence }]) => [
    code,
    `${status} ${type}`,
    sentence,
  ])
  return {
    id: 'errors',
    name: 'Errors',
    blocks: [
      {
        text: 'The body of every error has `error.code` for programs and `error.message` for people. The messages here are the usual ones; an actual message is often more specific. When a provider rejects a request, for example because a prompt is too long, the error has the status and the code of the provider.',
      },
      { heads: ['Code', 'Status and type', 'Message'], rows },
    ],
  }
}
