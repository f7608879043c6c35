import { readFileSync } from 'node:fs'
import { code, fold } from './elements.ts'
import { type Html, html } from './markup.ts'

/** The very files that the tests run. */
const RECEIVERS = [
  ['Node', 'node.mjs'],
  ['Python', 'python.py'],
  ['Go', 'go/main.go'],
  ['openssl', 'openssl.sh'],
  ['openssl, with the signed time', 'openssl-timestamp.sh'],
] as const

/** How to check that a webhook is ours, in the languages that people write receivers in. */
export function receiversSection(): Html {
  const samples = RECEIVERS.map(([language, file]) => {
    return fold(language, code('', readFileSync(new URL(`receivers/${file}`, import.meta.url), 'utf8').trimEnd()))
  })
  return html`<section id="receivers" aria-labelledby="receivers-title">
<h2 id="receivers-title">Receiving webhooks</h2>
<p>The body of a webhook is what was signed: check it before you parse it. The signature is in
<code>X-Service-Signature</code>, in hexadecimal; the public key is at <code>GET /v3/webhooks/public-key</code>. Answer with
any 2xx within 30 seconds; after a 5xx, a timeout or a broken line it is sent again, the same bytes, up to three times.</p>
<p>A second signature, in the form of <em>Standard Webhooks</em>, covers the time as well: <code>webhook-signature</code> is
<code>v1a,</code> and the base64 of an Ed25519 signature of <code>webhook-id</code>, <code>webhook-timestamp</code> and the body,
with dots between them. It is made anew for every attempt; the key is at <code>GET /v3/webhooks/public-key/ed25519</code>. Refuse
a time that is more than five minutes off: nobody can then send you an old webhook again.</p>
${samples}
</section>`
}
