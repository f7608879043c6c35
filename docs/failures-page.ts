import { PROBLEMS, problem } from '../src/contract/problems.ts'
import { FAILURES } from '../src/attempts/failures.ts'
import { errorFamily } from '../src/formats/messages/error-body.ts'
import { MessageEvents } from '../src/formats/messages/message-events.ts'
import { NEXT_WORDS } from '../src/http/docs/failures.ts'
import { bodyOf } from '../src/http/problems.ts'
import { REHEARSALS } from '../src/sandbox/rehearsals.ts'
import { code, list, table } from './markdown.ts'

/** The text of docs/failures.md. */
export function failuresPage(): string {
  const failures = Object.entries(FAILURES).map(([kind, { when, next, unhealthy, tell }]) => {
    return [
      code(kind),
      when,
      NEXT_WORDS[next],
      unhealthy ? 'yes' : 'no',
      tell === 'as it is' ? 'the provider’s' : code(tell),
    ]
  })
  const problems = Object.entries(PROBLEMS).map(([name, { status, type, sentence }]) => {
    return [code(name), String(status), code(type), code(errorFamily(status)), sentence]
  })
  return [
    HEAD,
    table(['failure', 'when', 'what the gateway does next', 'opens a circuit', 'error code'], failures),
    ERRORS,
    table(['code', 'status', 'OpenAI `type`', 'Anthropic `type`', 'default message'], problems),
    FORMATS,
    streams(),
    rehearsals(),
  ].join('\n')
}

const HEAD = `# Failures

<!-- Written by \`npm run docs\` from src/attempts/failures.ts and src/contract/problems.ts. Do not edit. -->

A call has a list of models: the model of the request, then its \`fallbacks\`. The gateway tries them in order. This table says what the
gateway does after a failure, and which error code a client gets when no model is left.

- **Retries** wait up to 0.3 s, then up to 0.6 s, with random jitter, or as long as \`Retry-After\` says (up to 30 s).
- **Budget**: an owner may use one extra attempt for every five requests, and three more. Without a budget the gateway reports the error.
- **Circuits**: five failures in a row open the circuit of a model for 20 s, for the owner who saw them. The circuit opens for everyone
  when two owners see the same failures, or when the gateway cannot connect to the provider.
- **Before the first word** of a stream the gateway holds its status back, so another model can take over and an error has its own
  HTTP status. After 15 s of silence the gateway sends a comment line with status 200; later errors then arrive inside the stream.
- **After the first word** another model continues only where that is safe: the model accepts the text so far as the beginning of its
  answer, or starts with the same words. Otherwise the stream ends with an error.
`

const ERRORS = `## Error codes

\`error.code\` is for programs, \`error.message\` is for people. When a provider rejects a request (400, 404, 413, 422), the client gets the
status, the code and the message of the provider, without credentials or addresses. \`error.limit\` names the time limit that ended a
call: \`connect\`, \`headers\`, \`first_token\`, \`idle\` or \`total\`.
`

const FORMATS = `The OpenAI shape applies to all endpoints except \`/v3/v1/…\`, which uses the Anthropic shape. A 422 also has \`detail\`, a list of all
problems with their exact places. \`Retry-After\` comes with 429 and 503.
`

/** The code that answers clients writes both examples. */
function streams(): string {
  const cut = problem('upstream_error', { message: 'openai/gpt-4o: the answer ended before it was complete' })
  const messages = new MessageEvents('req_1').failure(cut).trimEnd()
  return `## Streams that break

A complete stream has a last event: \`[DONE]\` in a chat, \`message_stop\` in messages, \`response.completed\` or \`response.incomplete\` in
responses. A broken stream never has one. It ends with an error event instead, and the SDKs raise an exception.

A chat (\`/v3/chat/completions\`):

\`\`\`text
data: ${JSON.stringify(bodyOf(cut))}
\`\`\`

Messages (\`/v3/v1/messages\`):

\`\`\`text
${messages}
\`\`\`

A response (\`/v3/responses\`) ends with an \`error\` event that has the same \`code\` and \`message\`, and then with \`response.failed\`.

${BREAKS}`
}

const BREAKS = `A provider's stream counts as broken, even if \`[DONE]\` follows, after:

- an error in any form: an event that is named \`error\`, with JSON or plain text as data; an object that says that it is an error, or
  has a message and no choices.
- an event that may have had a part of the answer and cannot be read. Every event of every format is a JSON object, so data with a brace
  (\`{\` or \`}\`) or the end of a key (\`":\`) may be what is left of one: that is a break, and so are an event of a known kind whose content has another
  type, and bytes that are not UTF-8. Data without them cannot have been a part of the answer: nothing, \`null\`, \`ping\`, a number, a word. The gateway
  passes over such data, over complete objects that it does not know, and over anything that follows the finish reason.
- an end without a finish reason: \`[DONE]\`, \`message_stop\`, or a closed connection. If a server of yours always ends its streams with \`[DONE]\` alone,
  its entry in the config file says so: \`"habits": { "endsWithoutReason": "always" }\`. The rows of xAI (with tool calls) and Cloudflare say it.
- a tool call whose arguments break off, unless the finish reason is \`length\` or \`content_filter\`. This applies to whole answers too.
- the beginning of a second answer, with another id, inside of the first.

Some ends mean that the model has not finished its turn although nothing failed: \`pause_turn\` and \`compaction\` of Anthropic, and the
failures of Gemini after a part of the answer (\`MALFORMED_FUNCTION_CALL\`, \`OTHER\` and similar). The finish reason is then \`length\`. The provider's own word is in
\`native_finish_reason\` of the choice and in the notes of the metadata. A word that the gateway does not know becomes \`stop\`, with the same
two hints. In a stream, the metadata is sent again with the last chunk of the answer.

A provider that answers a streamed request with a whole JSON answer is not asked again: the answer is passed on as a stream. A
compressed answer (gzip, deflate, br, zstd) is decoded although the gateway does not ask for one; all limits apply to the decoded bytes.
`

function rehearsals(): string {
  return `## Rehearse failures

These models of the sandbox fail on purpose, whole and streamed:
${list([...REHEARSALS.keys()].map((name) => `sandbox/${name}`))}.
Use one as \`model\` together with a fallback, and watch what your application does. \`silent\` and \`stall\` last until a time limit ends
them. Shorter limits in the config file help: \`"limits": { "sandbox": { "headersMs": 1000, "idleMs": 1000 } }\`.
`
}
