type InlineData = { type: string; base64: string }

/** The longest plausible head of a data URL: a type and a few parameters. */
const MAX_HEAD_CHARS = 300

/** Types that have a more common name, or that say nothing. */
const BETTER_TYPE: ReadonlyMap<string, string> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['application/octet-stream', ''],
  ['binary/octet-stream', ''],
  ['application/x-pdf', 'application/pdf'],
  ['audio/x-wav', 'audio/wav'],
])

/** The content of a data URL; undefined for any other URL. The base64 is not checked, because it may be megabytes. */
export function readDataUrl(url: string): InlineData | undefined {
  const head = url.slice(0, MAX_HEAD_CHARS)
  const comma = head.indexOf(',')
  if (comma < 0 || !/^data:/i.test(head)) return undefined
  const [named = '', ...parameters] = head.slice('data:'.length, comma).toLowerCase().split(';')
  const type = BETTER_TYPE.get(named.trim()) ?? named.trim()
  const isBase64 = parameters.some((parameter) => parameter.trim() === 'base64')
  return { type, base64: isBase64 ? url.slice(comma + 1) : toBase64(url.slice(comma + 1)) }
}

/** The content of a file, bare or as a data URL. */
export function readFileData(data: string): InlineData {
  return readDataUrl(data) ?? { type: '', base64: data }
}

/** Without `;base64` the data is text with percent escapes. */
function toBase64(text: string): string {
  const bytes = Buffer.from(text).toString('latin1')
  const plain = bytes.replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
  return Buffer.from(plain, 'latin1').toString('base64')
}
