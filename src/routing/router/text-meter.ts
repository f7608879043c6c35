// This is not a tokenizer: the number of tokens is estimated from the length of a text and a sample of its characters, which
// takes microseconds for 100 KB. English and code have about four characters per token, Latin with accents three, other
// alphabets two, and Chinese, Japanese and Korean one.

const TOKENS_PER_ASCII = 1 / 4
const TOKENS_PER_LATIN = 1 / 3
const TOKENS_PER_LETTER = 1 / 2
const TOKENS_PER_IDEOGRAPH = 1

const SAMPLES_PER_TEXT = 64
/** A request with very many short texts is judged by the first of them. */
const SAMPLES_PER_REQUEST = 8_192

export class TextMeter {
  #tokens = 0
  #sampled = 0
  #weight = 0

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
    for (let at = 0; at < text.length; at += stride, count++) weight += tokensPerUnit(text.charCodeAt(at))
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
