import { createKey } from '../../../src/tenants/access/api-keys.ts'
import { API_KEY } from '../../gateway/gateway-under-test.ts'

/** Every way to fail authentication: a name, and the headers that are sent. */
export function failures({ expired, revoked }: { expired: string; revoked: string }): string[][] {
  const unknown = createKey('live')
  const badChecksum = unknown.slice(0, -1) + (unknown.endsWith('0') ? '1' : '0')
  const bearers = {
    'a plain word': 'nonsense',
    'a bad checksum': badChecksum,
    'too short': unknown.slice(0, -1),
    'too long': `${unknown}0`,
    'unknown, but well-formed': unknown,
    'unknown, of another kind': createKey('sandbox'),
    'an unknown admin key': createKey('admin'),
    expired,
    revoked,
    'the right key with more behind it': `${API_KEY} more`,
    'the right key in quotes': `"${API_KEY}"`,
    'the right key without its end': API_KEY.slice(0, -1),
    'the right key in other letters': API_KEY.toUpperCase(),
    '10 KB': 'k'.repeat(10_240),
    '10 KB around the right key': API_KEY.padEnd(10_240, 'k'),
    'bytes that are not ASCII': 'gate_live_\xff\xfe\xe9\x80',
    SQL: `' OR '1'='1' --`,
    'a dictionary word of our own': '__proto__',
  }
  const key = API_KEY
  return [
    ['none'],
    ...Object.entries(bearers).map(([name, value]) => [name, `Authorization: Bearer ${value}`]),
    ...Object.entries(bearers).map(([name, value]) => [`${name}, as x-api-key`, `x-api-key: ${value}`]),
    ['empty', 'Authorization:'],
    ['a scheme and nothing', 'Authorization: Bearer'],
    ['a scheme and spaces', 'Authorization: Bearer   '],
    ['empty x-api-key', 'x-api-key:'],
    ['Basic', `Authorization: Basic ${Buffer.from(`${key}:`).toString('base64')}`],
    ['no scheme', `Authorization: ${key}`],
    ['another scheme', `Authorization: Token ${key}`],
    ['scheme and key without a space', `Authorization: Bearer${key}`],
    ['a tab after the scheme', `Authorization: Bearer\t${key}`],
    ['a bad Authorization beside a good x-api-key', 'Authorization: Bearer nonsense', `x-api-key: ${key}`],
    ['two bad headers', 'Authorization: Bearer one', 'Authorization: Bearer two'],
    ['two x-api-keys', `x-api-key: ${key}`, 'x-api-key: nonsense'],
    ['the key as a cookie', `Cookie: authorization=${key}; api_key=${key}`],
    ['the key as a proxy credential', `Proxy-Authorization: Bearer ${key}`],
  ]
}
