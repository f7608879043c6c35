// This is not a tokenizer: the number of tokens is estimated from the length of a text and a sample of its characters, which
// takes microseconds for 100 KB. English and code have about four characters per token, Latin with accents three, other
// alphabets two, and Chinese, Japanese and Korean one.

const TOKENS_PER_ASCII = 1 / 4
/** Of everything but lower-case letters and spaces. */
const DENSE_TOKENS_PER_ASCII = 3 / 4
const TOKENS_PER_LATIN = 1 / 3
const TOKENS_PER_LETTER = 1 / 2
const TOKENS_PER_IDEOGRAPH = 1

const SAMPLES_PER_TEXT = 64
/** A request with very many short texts is judged by the first of them. */
const SAMPLES_PER_REQUEST = 8_192

/** How many tokens a UTF-16 unit of a text has. */
type UnitWeight = (unit: number) => number

export class TextMeter {
  readonly #weightOf: UnitWeight
  #tokens = 0
  #sampled = 0
  #weight = 0

  constructor(weightOf: UnitWeight = tokensPerUnit) {
    this.#weightOf = weightOf
  }

  add(text: string): void {
    if (text.length === 0) return
    const rate = this.#sampled < SAMPLES_PER_REQUEST ? this.#sample(text) : this.#weight / this.#sampled
    this.#tokens += text.length * rate
  }

  get tokens(): number {
    return Math.ceil(this.#tokens)
  }

  #sample(text: string): number {
    const stride = Math.ceil(text.length / SAMPLES_PER_TEXT)
    let weight = 0
    let count = 0
    for (let at = 0; at < text.length; at += stride, count++) weight += this.#weightOf(text.charCodeAt(at))
    this.#sampled += count
    this.#weight += weight
    return weight / count
  }
}

function tokensPerUnit(unit: number): number {
  if (unit < 0x80) return TOKENS_PER_ASCII
  if (unit < 0x0300) return TOKENS_PER_LATIN
  return unit < 0x2e80 ? TOKENS_PER_LETTER : TOKENS_PER_IDEOGRAPH
}

const LOWER_A = 0x61
const LOWER_Z = 0x7a
const SPACE = 0x20

/**
 * The same, rather too many than too few: code, numbers and encoded data have fewer characters per token than prose, which is
 * lower-case letters and spaces.
 */
export function mostTokensPerUnit(unit: number): number {
  if (unit >= 0x80) return tokensPerUnit(unit)
  return (unit >= LOWER_A && unit <= LOWER_Z) || unit === SPACE ? TOKENS_PER_ASCII : DENSE_TOKENS_PER_ASCII
}
