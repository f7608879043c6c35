import type { OpenApiDocument, Operation } from '../../contract/openapi/document.ts'
import { code } from './elements.ts'
import { type Html, html, text } from './markup.ts'
import { streamedCurlSample } from './samples.ts'

const RULES = [
  'Each event is one `data:` line with a chunk as JSON; an empty line follows it.',
  'A chunk adds its `delta` to the answer with the same `index`.',
  '`finish_reason` is null until the chunk that ends an answer.',
  'With `"stream_options": {"include_usage": true}` the last chunk has `usage` and no choices.',
  '`data: [DONE]` ends a complete stream.',
  'A failure before the first event is an ordinary error with its own status.',
  'A later failure is one `data: {"error": …}` event. No `[DONE]` follows, because the answer is not complete.',
  'Lines that begin with a colon are comments that keep the connection open. Ignore them.',
  'Close the connection to stop the answer. The gateway then stops the provider, too.',
]

const ON_THE_WIRE = `data: {… "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, …}]}

data: {… "choices": [{"index": 0, "delta": {"content": "Hello!"}, …}]}

data: {… "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}

data: [DONE]`

export function streamingSection(document: OpenApiDocument): Html {
  return html`<section id="streaming" aria-labelledby="streaming-title">
<h2 id="streaming-title">Streaming</h2>
<p>With ${text('`"stream": true`')} the gateway sends the answer as server-sent events while the model writes it.</p>
${code('With curl', streamedCurlSample(document))}
<ul>${RULES.map((rule) => html`<li>${text(rule)}</li>`)}</ul>
${code('On the wire, shortened', ON_THE_WIRE)}
</section>`
}

export function hasStreams({ paths, webhooks = {} }: OpenApiDocument): boolean {
  const operations = [...Object.values(paths), ...Object.values(webhooks)].flatMap((methods) => Object.values(methods))
  return operations.some(isStreamed)
}

function isStreamed({ responses }: Operation): boolean {
  return Object.values(responses).some((reply) => 'content' in reply && reply.content?.['text/event-stream'])
}
