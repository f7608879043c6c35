import { ConfigError } from './config-error.ts'

/** An origin as a browser sends it: a scheme and a host, without a path. Extensions have schemes of their own. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^\s,/]+$/

/** The origins whose pages may call the API: a list, one text with commas between them, or `*` for all. */
export function corsOrigins(value: unknown): readonly string[] {
  const list = Array.isArray(value) ? value : String(value).split(',')
  return list.map((one) => {
    const origin = typeof one === 'string' ? one.trim().toLowerCase() : ''
    if (origin === '*' || ORIGIN.test(origin)) return origin
    throw new ConfigError('should be origins such as https://app.example, without a path, separated by commas; or *')
  })
}
