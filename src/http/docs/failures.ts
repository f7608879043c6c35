import { FAILURES, type Next } from '../../attempts/failures.ts'
import { row, table } from './elements.ts'
import { type Html, html } from './markup.ts'

/** What the gateway does after a failure, in words. */
export const NEXT_WORDS: Record<Next, string> = {
  retry: 'Try the next model. If none is left, retry the same model once, or as often as the retries say.',
  'next credential': 'Try another key of the same provider. If none is left, try the next model.',
  'next target': 'Try the next model.',
  stop: 'Stop and report the error.',
}

/** Prints the table that the gateway itself uses. */
export function failuresSection(): Html {
  const rows = Object.entries(FAILURES).map(([kind, { when, next, unhealthy, tell }]) => {
    const reported = tell === 'as it is' ? 'the error of the provider' : tell
    return row([
      html`<code id="failure-${kind}">${kind}</code>`,
      when,
      NEXT_WORDS[next],
      unhealthy ? 'yes' : 'no',
      reported,
    ])
  })
  return html`<section id="failures" aria-labelledby="failures-title">
<h2 id="failures-title">When a provider fails</h2>
<p>The gateway tries the model first and then its fallbacks, in order. The table says what the gateway does after each failure.</p>
<ul>
<li>An owner may use one extra attempt for every five requests, and three more.</li>
<li><code>retries</code> (0 to 5) of <code>routing</code>, of an alias or of the config file says how often a model is asked again before
the next one is. A request that an SDK sends again (<code>x-stainless-retry-count</code> above 0) gets no retry of the gateway.</li>
<li>Errors that would come again, and those whose wait is longer than 60 seconds, carry <code>x-should-retry: false</code>. A 429 or 503 with a
shorter wait carries <code>Retry-After</code> and <code>retry-after-ms</code>.</li>
<li>The gateway waits for <code>Retry-After</code> up to 30 seconds. If a provider asks for more, the gateway moves on at once.</li>
<li>Five failures in a row open the circuit of a model for 20 seconds. Then one call tests whether the model works again. Only failures
marked <em>yes</em> count.</li>
<li>A circuit opens for the owner of the key. A circuit opens for everyone when two owners see the same failures, or when the
gateway itself cannot connect to the provider.</li>
<li>Some requests carry <code>extra_headers</code>, <code>extra_body</code> or unknown fields. Their failures open a circuit only for such
requests of the same owner, unless the gateway could not connect.</li>
<li>After the first word of a stream, another model continues only where that is safe: the model accepts the text so far as the
beginning of its answer, or starts with the same words. Otherwise the stream ends with an error.</li>
</ul>
${table(['Failure', 'When', 'What follows', 'Opens a circuit', 'Error when no model is left'], rows)}
</section>`
}
