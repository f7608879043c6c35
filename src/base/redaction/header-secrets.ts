/** The secrets in the value of a header: all of it, what follows its scheme, and what the scheme Basic has encoded in that. */
export function headerSecrets(value: string): string[] {
  const [, scheme = '', token = ''] = /^(\S+) +(.+)$/.exec(value) ?? []
  const plain = /^basic$/i.test(scheme) ? Buffer.from(token, 'base64').toString() : ''
  const password = plain.slice(plain.indexOf(':') + 1)
  return [value, token, plain, password].filter((secret) => secret !== '')
}
