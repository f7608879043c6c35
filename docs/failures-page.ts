import { PROBLEMS, problem } from '../src/contract/problems.ts'
import { FAILURES } from '../src/calls/attempts/failures.ts'
import { ENDS, FAILING } from '../src/translation/dialects/answer/reason-words.ts'
import { DEFAULT_TIMEOUTS, LAST_FIRST_TOKEN_MS, THINKING_FIRST_TOKEN_MS } from '../src/platform/config/timeouts.ts'
import { errorFamily } from '../src/translation/formats/messages/error-body.ts'
import { MessageEvents } from '../src/translation/formats/messages/message-events.ts'
import { NEXT_WORDS } from '../src/http/docs/guides.ts'
import { bodyOf } from '../src/http/problems.ts'
import { REHEARSALS } from '../src/translation/sandbox/rehearsals.ts'
import { keepAliveMs } from '../src/calls/upstream/keep-alive-limit.ts'
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
    TIME,
    streams(),
    ends(),
    rehearsals(),
  ].join('\n')
}

const HEAD = `# Failures

<!-- Written by \`npm run docs\` from src/calls/attempts/failures.ts and src/contract/problems.ts. Do not edit. -->

A call has a list of models: the model of the request, then its \`fallbacks\`. The gateway tries them in order. This table says what the
gateway does after a failure, and which error code a client gets when no model is left.

- **Retries**: a model with a fallback is not asked again, and one without is asked again once. \`routing.retries\` of the request, \`retries\` of an alias, and
  \`retries\` of the config file (by provider or model) change that, in this order: 0 to 5. A retry waits up to 0.3 s, then up to 0.6 s and so on, with random
  jitter, or as long as \`Retry-After\` (seconds or a date), \`retry-after-ms\` or the
  \`x-ratelimit-reset…\` of an exhausted limit says (up to 30 s, and within the time of the call).
- **SDKs** retry, too. A request with \`x-stainless-retry-count\` above 0 gets no retry of the gateway, so that the two do not multiply. Errors that
  would come again, and those whose wait is longer than 60 s, carry \`x-should-retry: false\`. A 429 or 503 with a shorter wait carries \`Retry-After\`
  and \`retry-after-ms\`, and the SDK decides.
- **Broken connections**: a request that was written is not sent to the same model again, also if no byte of an answer came, because the
  provider may be at work on it: the next model is asked, or the call fails. Connections that were idle for 4 s are replaced before they are used
  (up to 30 s if the provider's \`Keep-Alive\` allows it), so that this is rare.
- **How many retries**: an owner has three retries to begin with, and one more for every five requests (100 at most); another key of the same provider takes one,
  too. When none is left, the gateway goes on to the next model, or reports the error. This has nothing to do with [budgets](budgets.md) of money.
- **Circuits**: five failures in a row open the circuit of a model for 20 s, for the owner who saw them. The circuit opens for everyone
  when two owners see the same failures, or when the gateway cannot connect to the provider.
- **Before the first word** of a stream the gateway holds its status back, so another model can take over and an error has its own
  HTTP status. After 15 s of silence the gateway sends a comment line with status 200; later errors then arrive inside the stream.
  Reasoning and tool calls count as words. If caller and provider speak the same format (messages or responses), so does everything
  that the provider does itself, such as a search.
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

const TIME = `## Providers that are late

The limits and their defaults are in [settings.md](settings.md). These rules say what counts as an answer:

- **An answer begins** with its first useful byte: the first event with content of a stream, or the first byte of a whole answer that
  is not white space. Comments, pings and white space before it do not extend the time for the beginning.
- **A whole answer** has ${seconds(DEFAULT_TIMEOUTS.headersMs)} to begin, and 60 s while another model is left.
- **The first word of a stream** has ${seconds(DEFAULT_TIMEOUTS.firstTokenMs)} while another model is left (${seconds(THINKING_FIRST_TOKEN_MS)} for models that reason). The last model has
  ${seconds(LAST_FIRST_TOKEN_MS)} if the catalog says that it does not reason. Models that reason, models that are not in the catalog, servers
  without TLS, \`service_tier: flex\`, requests with files, and inputs over 100,000 tokens (estimated as 400,000 characters) have
  ${seconds(DEFAULT_TIMEOUTS.headersMs)}. \`headersMs\` in the config file replaces both.
- **A stream goes on** with every event that has a part of the answer, however slowly they come: a token every two seconds is a good
  stream. Silence, and single bytes that complete no line, fail as \`idle_timeout\` after ${seconds(DEFAULT_TIMEOUTS.idleMs)}.
- **Comments, pings**, events that say nothing, and pieces of an event that is never complete are not useful. They keep a stream open,
  because providers send them while a model thinks or a tool runs, but not for long: while another model is left, for
  ${seconds(keepAliveMs(DEFAULT_TIMEOUTS, false))} (\`idleMs\`, or \`firstTokenMs\` if that is longer), so that a dead provider does not hide behind them. The last
  model has ${seconds(keepAliveMs(DEFAULT_TIMEOUTS, true))} (the longer of \`headersMs\` and \`idleMs\`). Then the stream fails as \`idle_timeout\`.
- **An answer in one piece goes on** with 100 bytes per second, white space not counted: a provider that drips less than that during
  \`idleMs\` (and at least one kilobyte) fails as \`idle_timeout\`, as if it were silent.
- **After the last finish reason** a provider has 1 s to send the usage and \`[DONE]\`. Then the stream is complete without them.
`

function seconds(ms: number): string {
  return `${ms / 1_000} s`
}

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
\`response.created\` comes before them, even if the model has said nothing.

Some clients of the chat format ignore error events. So the body of a broken chat has no proper end: after the error event the gateway
waits until the client closes, at most 2 s, and then closes the connection without the last chunk of the body. Such a client raises an
exception for an incomplete body. The other two formats end normally, because their clients understand the events.

HTTP/1.0 has no chunks, so a client cannot tell a cut from an end. nginx speaks HTTP/1.0 to the gateway unless its configuration says
otherwise:

\`\`\`nginx
location / {
  proxy_pass http://127.0.0.1:8080;
  proxy_http_version 1.1;
  proxy_set_header Connection "";
}
\`\`\`

\`npm run proxies\` in the repository tries this with a real nginx.

${BREAKS}`
}

const BREAKS = `A provider's stream counts as broken, even if \`[DONE]\` follows, after:

- an error in any form: an event that is named \`error\`, with JSON or plain text as data; an object that says that it is an error, or
  has a message and no choices.
- an event that may have had a part of the answer and cannot be read. Every event of every format is a JSON object, so data with a brace
  (\`{\` or \`}\`) or the end of a key (\`":\`) may be what is left of one: that is a break, and so are an event of a known kind whose content has another
  type, and bytes that are not UTF-8. Data without them cannot have been a part of the answer: nothing, \`null\`, \`ping\`, a number, a word. The gateway
  passes over such data, over complete objects that it does not know, and over anything that it cannot read after the finish reason.
- an end without a finish reason: \`[DONE]\`, \`message_stop\`, or a closed connection. If a server of yours always ends its streams with \`[DONE]\` alone,
  its entry in the config file says so: \`"compat": { "endsWithoutReason": "always" }\`. The rows of xAI (with tool calls) and Cloudflare say it.
- a tool call whose arguments break off, unless the finish reason is \`length\` or \`content_filter\`. This applies to whole answers too.
- a finish reason that names a failure (\`error\`, \`overloaded\`, \`rate_limit\`; see [how answers end](#how-answers-end)). This applies to whole answers too.
- the beginning of a second answer, with another id, inside of the first.

A provider that answers a streamed request with a whole JSON answer is not asked again: the answer is passed on as a stream. A
compressed answer (gzip, deflate, br, zstd) is decoded although the gateway does not ask for one; all limits apply to the decoded bytes.
`

/** The words of providers, from the table that all dialects share. */
function ends(): string {
  const { stop, tool_calls, function_call, length, content_filter, unfinished } = ENDS
  const proper = list([...stop, ...tool_calls, ...function_call])
  const failures = FAILING.map(([pattern, kind]) => `${code(kind)} for ${code(pattern.source)}`)
  return `## How answers end

All dialects share one table of finish reasons, because compatible servers take words from each other. \`MAX_TOKENS\`, \`maxTokens\` and
\`FINISH_REASON_MAX_TOKENS\` are \`max_tokens\`. A word that says that the answer failed is an error, and the next model is asked while nothing has been
sent.

- **Proper** (\`stop\`, \`tool_calls\`, \`function_call\`): ${proper}.
- **Cut by a limit** (\`length\`): ${list(length)}.
- **Cut by a filter** (\`content_filter\`): ${list(content_filter)}.
- **Not finished** (\`length\`, with the provider's word): ${list(unfinished)}, and any word that is not known.
- **Failed** (an error), by patterns: ${failures.join('; ')}.

Other formats have their own words: \`end_turn\`, \`max_tokens\` and \`refusal\` in messages; \`completed\` or \`incomplete\` with a reason in responses;
\`STOP\`, \`MAX_TOKENS\` and \`SAFETY\` in the Gemini format; \`COMPLETE\`, \`MAX_TOKENS\` and \`ERROR_TOXIC\` in Cohere's. If caller and provider speak the same
format, the provider's own word is passed on.

- **A word that is not known** is never a proper end. It is in \`native_finish_reason\` of the choice and in the notes of the metadata. In a
  stream, the metadata is sent again with the last chunk of the answer. Gemini's failures after a part of the answer
  (\`MALFORMED_FUNCTION_CALL\`, \`OTHER\` and similar) are told in the same way.
- **A whole answer without a reason** is passed on as \`length\`, with a note, unless \`endsWithoutReason\` says that the server never sends one. A
  stream without a reason has sent its text already and ends with an error.
- **Text after the reason** is delivered: the finish reason is sent last, when the stream has ended. If the stream then breaks off, that is an error.
  Of two reasons the worse one counts: \`content_filter\`, then \`length\`, \`tool_calls\`, \`stop\`. Nothing is read after the last event of a format
  (\`[DONE]\`, \`message_stop\`, \`message-end\`, \`response.completed\`).
- **A whole answer that failed** is charged if the provider reports its usage.
- Tasks and hooks that ask a chat model never take a cut answer for a whole one.
`
}

function rehearsals(): string {
  return `## Rehearse failures

These models of the sandbox fail on purpose, whole and streamed:
${list([...REHEARSALS.keys()].map((name) => `sandbox/${name}`))}.
Use one as \`model\` together with a fallback, and watch what your application does. \`silent\` and \`stall\` last until a time limit ends
them. Shorter limits in the config file help: \`"timeouts": { "sandbox": { "headersMs": 1000, "idleMs": 1000 } }\`.
`
}
