// The formats of tokens that are secrets. Each pattern matches inside of one run of characters without blanks, and takes time that
// is linear in its length. `minEntropy`: how many bits a character of the token has at least, so that `sk-your-key-goes-here` is none.

type TokenFormat = { rule: string; pattern: RegExp; minEntropy?: number }

const WORD_BEFORE = '(?<![A-Za-z0-9])'

export const TOKEN_FORMATS: readonly TokenFormat[] = [
  format('aws_access_key', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Za-z0-9])'),
  format('github_token', 'gh[pousr]_[A-Za-z0-9]{36,251}', 3),
  format('github_token', 'github_pat_[A-Za-z0-9_]{50,251}', 3),
  format('gitlab_token', 'gl(?:pat|ptt|dt|rt|cbt|agent|soat|ft)-[A-Za-z0-9_-]{20,300}', 3),
  format('slack_token', 'xox[abeoprs]-[A-Za-z0-9-]{10,250}', 3),
  format('slack_token', 'xapp-\\d-[A-Za-z0-9-]{20,250}', 3),
  format('slack_webhook', 'hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,200}'),
  format('anthropic_key', 'sk-ant-[A-Za-z0-9_-]{20,200}', 3),
  format('openrouter_key', 'sk-or-[A-Za-z0-9_-]{20,200}', 3),
  format('openai_key', 'sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,250}', 3.5),
  format('stripe_key', '[rs]k_(?:live|test|prod)_[A-Za-z0-9]{16,250}', 3),
  format('webhook_secret', 'whsec_[A-Za-z0-9+/=]{24,100}', 3),
  format('google_api_key', 'AIza[A-Za-z0-9_-]{35}', 3),
  format('google_oauth', 'GOCSPX-[A-Za-z0-9_-]{20,60}', 3),
  format('google_oauth', 'ya29\\.[A-Za-z0-9_-]{20,400}', 3),
  format('huggingface_token', 'hf_[A-Za-z0-9]{30,60}', 3),
  format('npm_token', 'npm_[A-Za-z0-9]{36}', 3),
  format('pypi_token', 'pypi-[A-Za-z0-9_-]{50,250}', 3),
  format('sendgrid_key', 'SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,64}', 3),
  format('twilio_key', 'SK[0-9a-f]{32}(?![A-Za-z0-9])', 3),
  format('mailgun_key', 'key-[0-9a-f]{32}(?![A-Za-z0-9])', 3),
  format('digitalocean_token', 'do[oprt]_v1_[0-9a-f]{64}', 3),
  format('databricks_token', 'dapi[0-9a-f]{32}(?:-\\d)?', 3),
  format('shopify_token', 'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}', 3),
  format('vault_token', 'hv[bsr]\\.[A-Za-z0-9_-]{24,300}', 3),
  format('doppler_token', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9._-]{40,60}', 3),
  format('linear_key', 'lin_(?:api|oauth)_[A-Za-z0-9]{32,100}', 3),
  format('notion_token', '(?:ntn|secret)_[A-Za-z0-9]{40,60}', 3),
  format('groq_key', 'gsk_[A-Za-z0-9]{48,60}', 3),
  format('xai_key', 'xai-[A-Za-z0-9]{60,100}', 3),
  format('replicate_token', 'r8_[A-Za-z0-9]{36,40}', 3),
  format('telegram_token', '\\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])', 3),
  format('age_key', 'AGE-SECRET-KEY-1[0-9A-Z]{58}'),
  format('jwt', 'eyJ[A-Za-z0-9_-]{10,2000}\\.eyJ[A-Za-z0-9_-]{10,2000}\\.[A-Za-z0-9_-]{10,2000}'),
  format('azure_storage_key', 'AccountKey=[A-Za-z0-9+/]{80,90}={0,2}'),
  format('password_in_url', '[a-z][a-z0-9+.-]{1,20}://[^\\s:@/\'"]{0,100}:[^\\s:@/\'"]{3,200}@[^\\s@]'),
]

/** All of them but passwords in addresses have at least so many characters. */
export const MIN_TOKEN_CHARS = 15

/** What every run has that has a token: a quick look that saves all others. */
export const TELLING =
  /:\/\/|\d:|AccountKey=|(?:AKIA|ASIA|ABIA|ACCA)|gh[pousr]_|github_pat_|gl[a-z]{2,5}-|xox[a-z]-|xapp-|slack\.com|sk-|[rs]k_|whsec_|AIza|GOCSPX|ya29|hf_|npm_|pypi-|SG\.|SK[0-9a-f]|key-|do[oprt]_|dapi|shp[acs]|hv[bsr]\.|dp\.|lin_|ntn_|secret_|gsk_|xai-|r8_|AGE-|eyJ/

const NAMES =
  '(?:passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|private[_-]?key|credentials?)'
const SIGN = '["\'\\]]{0,2}\\s{0,4}(?::=|=>|[:=])'

/** The beginning of such a text, by which most texts are known to have none. */
export const ASSIGNS = new RegExp(NAMES + SIGN, 'i')

/** A text that says that a secret follows, such as `"api_key": "` or `PASSWORD=`; the secret is the group. */
export const ASSIGNED = new RegExp(`${NAMES}${SIGN}\\s{0,4}["'\`]?([^\\s"'\`,;<>(){}[\\]$]{8,200})`, 'gi')
export const MIN_ASSIGNED_ENTROPY = 2.5

/** The beginning and the end of a private key in PEM. */
export const KEY_BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/
export const KEY_END = '-----END'

/** Bits per character, by how often each one occurs. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

function format(rule: string, pattern: string, minEntropy?: number): TokenFormat {
  return { rule, pattern: new RegExp(WORD_BEFORE + pattern, 'g'), ...(minEntropy !== undefined && { minEntropy }) }
}
